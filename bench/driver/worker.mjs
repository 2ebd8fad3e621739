import { runObjectJob } from './object-job.mjs';
import { runWatchJob } from './watch-job.mjs';

/**
 * A driver process: one job at a time, sent and answered over the channel to its parent.
 *
 * @typedef {import('./object-job.mjs').ObjectJob} ObjectJob
 * @typedef {import('./watch-job.mjs').WatchJob} WatchJob
 * @typedef {{ result: unknown } | { error: string }} Outcome
 */

/** @param {Outcome} outcome */
function answer(outcome) {
  process.send?.(outcome);
}

process.on('message', (message) => {
  const job = /** @type {ObjectJob | WatchJob} */ (message);
  const running = job.type === 'watch' ? runWatchJob(job) : runObjectJob(job);
  running.then(
    (result) => answer({ result }),
    (error) => answer({ error: error instanceof Error ? error.message : String(error) }),
  );
});

process.on('disconnect', () => process.exit(0));
