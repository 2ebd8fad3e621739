const { readFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

/**
 * Loaded into a server with `--require`: measures the longest iteration of its event loop between two messages, in ms of CPU time of
 * the main thread, so that other processes and threads do not count. On systems other than Linux, in wall time.
 */
if (isMainThread) {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  const spent = () => {
    try {
      return Number(readFileSync(file, 'latin1').split(' ', 1)[0]) / 1e6;
    } catch {
      return performance.now();
    }
  };
  let running = false;
  let longest = 0;
  let last = 0;
  const turn = () => {
    const now = spent();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(turn);
  };
  const questions = {
    begin() {
      [running, longest, last] = [true, 0, spent()];
      setImmediate(turn);
    },
    longestTurn() {
      running = false;
      turn();
      return longest;
    },
  };
  process.on('message', ({ question }) => process.send?.({ question, reply: questions[question]?.() }));
  process.channel?.unref();
}
