/**
 * A server under test.
 * @typedef {object} Contender
 * @property {'tsukube' | 'peer'} label
 * @property {import('../driver/connection.mjs').Endpoint} endpoint
 * @property {readonly number[]} pids  empty when unknown
 * @property {boolean} disposable  its data is discarded afterwards, so no cleanup is needed
 *
 * @typedef {{ contender: Contender, readyMs?: number }} Launched
 *
 * @typedef {object} Launcher
 * @property {() => Promise<Launched>} start  with empty data if possible; stops a server it started before
 * @property {() => Promise<Launched>} [restart]  on existing data
 * @property {() => Promise<void>} stop
 */

import { readKubeconfig } from './kubeconfig.mjs';

/**
 * For a server that is already running.
 * @param {Contender['label']} label @param {string} kubeconfig @param {readonly number[]} pids @returns {Launcher}
 */
export function useRunning(label, kubeconfig, pids) {
  return {
    start: async () => ({ contender: { label, endpoint: readKubeconfig(kubeconfig), pids, disposable: false } }),
    stop: async () => undefined,
  };
}
