import { runFloodJob } from './flood-job.mjs';
import { runObjectJob } from './object-job.mjs';
import { runProbeJob } from './probe-job.mjs';
import { runWatchJob } from './watch-job.mjs';

/**
 * A driver process: runs one job at a time, received and answered over the IPC channel.
 *
 * @typedef {import('./object-job.mjs').ObjectJob} ObjectJob
 * @typedef {import('./watch-job.mjs').WatchJob} WatchJob
 * @typedef {import('./flood-job.mjs').FloodJob} FloodJob
 * @typedef {import('./probe-job.mjs').ProbeJob} ProbeJob
 * @typedef {{ result: unknown } | { error: string }} Outcome
 */

/** @param {Outcome} outcome */
function answer(outcome) {
  process.send?.(outcome);
}

/** @param {ObjectJob | WatchJob | FloodJob | ProbeJob} job @returns {Promise<object>} */
function run(job) {
  switch (job.type) {
    case 'watch':
      return runWatchJob(job);
    case 'flood':
      return runFloodJob(job);
    case 'probe':
      return runProbeJob(job);
    default:
      return runObjectJob(job);
  }
}

process.on('message', (message) => {
  run(/** @type {Parameters<typeof run>[0]} */ (message)).then(
    (result) => answer({ result }),
    (error) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});

process.on('disconnect', () => process.exit(0));
