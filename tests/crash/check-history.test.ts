import { describe, expect, it } from 'vitest';
import { problemsOf, stateAfter } from './check-history.ts';
import type { Observed } from './resuming-watch.ts';
import { WriteLog } from './write-log.ts';

/** Object `a` is created, updated and deleted, and created again, with an update of unknown outcome and one that was refused. */
function honestLog(): WriteLog {
  const log = new WriteLog();
  log.acknowledge(log.begin('create', 'a'), 'u0', 10);
  log.acknowledge(log.begin('update', 'a', 'u0'), 'u0', 11);
  log.acknowledge(log.begin('delete', 'a', 'u0'), 'u0');
  log.saw(12);
  log.acknowledge(log.begin('create', 'a'), 'u1', 13);
  log.begin('patch', 'a', 'u1');
  log.begin('update', 'a', 'u1').outcome = { is: 'refused' };
  return log;
}

function event(type: Observed['type'], uid: string, version: number, write: string | undefined, count: number): Observed {
  return { type, name: 'a', uid, version, write, count };
}

const added = event('ADDED', 'u0', 10, 'w0', 1);
const changed = event('MODIFIED', 'u0', 11, 'w1', 2);
const removed = event('DELETED', 'u0', 12, 'w1', 2);
const addedAgain = event('ADDED', 'u1', 13, 'w3', 1);
const changedUnseen = event('MODIFIED', 'u1', 14, 'w4', 2);
const honest = [added, changed, removed, addedAgain];

describe('checking an event history', () => {
  it.each([
    ['without the write of unknown outcome', honest],
    ['with it', [...honest, changedUnseen]],
  ])('%s has no problems', (_, events) => {
    expect(problemsOf(events, honestLog())).toEqual([]);
  });

  it.each<[string, Observed[], RegExp]>([
    ['lacks a write', [added, removed, addedAgain], /"w1".* did not take place/],
    ['lacks a deletion', [added, changed], /"w2".* did not take place/],
    ['has a write at another version', [added, { ...changed, version: 12 }, removed, addedAgain], /"w1".* did not take place/],
    ['has a write twice', [...honest, { ...changedUnseen, write: 'w3' }], /w3 was made twice/],
    ['has a partial write', [...honest, { ...changedUnseen, write: undefined }], /is not whole/],
    ['has a write that was refused', [...honest, { ...changedUnseen, write: 'w5' }], /w5 was refused/],
    ['has a write from before it was sent', [{ ...addedAgain, version: 11 }], /w3 was sent after 12 and made at 11/],
    ['reuses a uid', [added, changed, removed, { ...addedAgain, uid: 'u0' }], /was there before/],
    ['adds an existing object', [added, addedAgain], /was there before/],
    ['changes a missing object', [changed], /follows no such object/],
    ['goes back to an earlier state', [added, changed, { ...removed, count: 1 }, addedAgain], /skips from 2 to 1/],
    ['has a deletion that was not requested', [...honest, { ...removed, uid: 'u1', version: 15 }], /not requested: DELETED/],
  ])('that %s is found out', (_, events, problem) => {
    expect(problemsOf(events, honestLog()).join('\n')).toMatch(problem);
  });

  it('computes the final state', () => {
    expect([...stateAfter([...honest, changedUnseen]).values()]).toEqual([{ ...changedUnseen, type: 'ADDED' }]);
  });
});
