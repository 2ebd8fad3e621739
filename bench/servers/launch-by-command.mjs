import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { readKubeconfig } from './kubeconfig.mjs';

/**
 * @typedef {import('./launcher.mjs').Launcher} Launcher
 * @typedef {{ kubeconfig: string, startCommand: string, stopCommand?: string, pids: readonly number[] }} CommandOptions
 */

const timeoutMs = 120_000;

/** @param {string} command @returns {Promise<{ output: string, elapsedMs: number }>} */
async function runShell(command) {
  const begun = performance.now();
  const shell = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.on('data', (part) => {
    output += part;
  });
  const timer = setTimeout(() => shell.kill('SIGKILL'), timeoutMs);
  const closed = once(shell, 'close');
  const [code] = await once(shell, 'exit');
  const elapsedMs = performance.now() - begun;
  clearTimeout(timer);
  if (code !== 0) throw new Error(`\`${command}\` ended with ${code === null ? 'a signal' : `code ${code}`}`);
  // The pipe may never close, because a running server may have inherited it.
  await Promise.race([closed, sleep(200)]);
  return { output, elapsedMs };
}

/** @param {string} output @returns {number[]} process ids from a last line of comma-separated numbers */
function printedPids(output) {
  const last = output.trim().split('\n').pop() ?? '';
  return /^\d+(,\d+)*$/.test(last) ? last.split(',').map(Number) : [];
}

/** @param {CommandOptions} options @returns {Launcher} */
export function launchByCommand({ kubeconfig, startCommand, stopCommand, pids }) {
  const stop = async () => {
    if (stopCommand) await runShell(stopCommand);
  };
  return {
    start: async () => {
      await stop();
      const { output, elapsedMs } = await runShell(startCommand);
      const printed = printedPids(output);
      const known = printed.length > 0 ? printed : pids;
      return {
        readyMs: elapsedMs,
        contender: { label: 'peer', endpoint: readKubeconfig(kubeconfig), pids: known, disposable: true },
      };
    },
    stop,
  };
}
