/**
 * A server under test.
 * @typedef {object} Contender
 * @property {'tsukube' | 'peer'} label
 * @property {import('../driver/connection.mjs').Endpoint} endpoint
 * @property {readonly number[]} pids  empty when unknown
 * @property {boolean} disposable  its data is thrown away afterwards, so nothing needs to be cleaned up
 *
 * @typedef {{ contender: Contender, readyMs?: number }} Launched
 *
 * @typedef {object} Launcher
 * @property {() => Promise<Launched>} start  from nothing, where the launcher can; stops what it had started before
 * @property {() => Promise<Launched>} [restart]  on the data that is there
 * @property {() => Promise<void>} stop
 */

import { readKubeconfig } from './kubeconfig.mjs';

/**
 * For a server that somebody else has started.
 * @param {Contender['label']} label @param {string} kubeconfig @param {readonly number[]} pids @returns {Launcher}
 */
export function useRunning(label, kubeconfig, pids) {
  return {
    start: async () => ({ contender: { label, endpoint: readKubeconfig(kubeconfig), pids, disposable: false } }),
    stop: async () => undefined,
  };
}
