import { countsText } from './tally.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */

/**
 * A status line for the running suite: rewritten in place on a terminal, printed every half minute otherwise.
 * @param {NodeJS.WriteStream} out @param {() => number} [now]
 */
export function openProgress(out, now = performance.now.bind(performance)) {
  const live = out.isTTY === true;
  /** @type {{ tally: Tally, begun: number, status: string } | undefined} */
  let current;
  const line = () => {
    if (!current) return '';
    const { tally, begun, status } = current;
    return `${tally.suite.padEnd(20)} ${elapsed(now() - begun).padStart(6)}  ${countsText(tally)}  ${status}`;
  };
  const draw = () => {
    if (!current) return;
    out.write(live ? `\r\x1b[K${line().slice(0, (out.columns ?? 120) - 1)}` : `${line()}\n`);
  };
  const timer = setInterval(draw, live ? 500 : 30_000);
  timer.unref();
  return {
    /** @param {Tally} tally */
    begin(tally) {
      current = { tally, begun: now(), status: 'preparing' };
      draw();
    },
    /** @param {string} text */
    status(text) {
      if (current) current.status = text;
    },
    /** Prints a line above the status line. @param {string} text */
    print(text) {
      out.write(live ? `\r\x1b[K${text}\n` : `${text}\n`);
    },
    end() {
      if (!current) return;
      current.status = '';
      out.write(`${live ? '\r\x1b[K' : ''}${line().trimEnd()}\n`);
      current = undefined;
    },
    close: () => clearInterval(timer),
  };
}

/** @param {number} milliseconds */
export function elapsed(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
