import { describe, expect, it } from 'vitest';
import { orderProblems } from './linearizable.ts';
import { WriteLog } from './write-log.ts';

/** A create, an update that conflicts, one that succeeds, one of unknown outcome, and reads between them. */
function honestLog(): WriteLog {
  const log = new WriteLog();
  log.read('a', '', performance.now());
  log.acknowledge(log.begin('create', 'a'), 'u0', 10);
  log.read('a', 'w0', performance.now());
  log.acknowledge(log.begin('update', 'a', 'u0', 'w0'), 'u0', 11);
  log.refuse(log.begin('update', 'a', 'u0', 'w0'), true);
  log.begin('update', 'a', 'u0', 'w1');
  return log;
}

describe('reads and writes of an object', () => {
  it.each([
    ['w1', 'an unknown write was not made'],
    ['w3', 'an unknown write was made'],
  ])('are linearizable if %s is read: %s', (write) => {
    const log = honestLog();
    log.read('a', write, performance.now());
    expect(orderProblems(log)).toEqual([]);
  });

  it.each<[string, (log: WriteLog) => void, RegExp]>([
    ['an old state is read', (log) => log.read('a', 'w0', performance.now()), /a read of w0 .* does not follow w[13]/],
    ['an acknowledged write is lost', (log) => log.read('a', '', performance.now()), /a read of nothing/],
    ['a rejected write took effect', (log) => log.read('a', 'w2', performance.now()), /a read of w2/],
    [
      'a write of unknown outcome is seen and undone',
      (log) => {
        log.read('a', 'w3', performance.now());
        log.read('a', 'w1', performance.now());
      },
      /a read of w1 .* does not follow w3/,
    ],
    [
      'a write succeeds from a state that was replaced',
      (log) => log.acknowledge(log.begin('update', 'a', 'u0', 'w0'), 'u0', 14),
      /update w4/,
    ],
    ['an object is created twice', (log) => log.acknowledge(log.begin('create', 'a'), 'u1', 14), /create w4/],
  ])('are not if %s', (_, tamper, problem) => {
    const log = honestLog();
    tamper(log);
    expect(orderProblems(log).join('\n')).toMatch(problem);
  });
});
