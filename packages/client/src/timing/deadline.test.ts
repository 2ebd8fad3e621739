import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('fires after its time, even if only its listeners reference it', async () => {
  const parent = new AbortController();
  let fired = 0;
  for (let i = 0; i < 20; i++) new Deadline(parent.signal, 30).signal.addEventListener('abort', () => fired++);
  await pause(1);
  collectGarbage();
  await expect.poll(() => fired).toBe(20);
});

it('is aborted with its parent, and not after it was cleared', async () => {
  const parent = new AbortController();
  const [aborted, cleared] = [new Deadline(parent.signal, 60_000), new Deadline(parent.signal, 1)];
  cleared.clear();
  parent.abort(new Error('over'));
  expect(aborted.signal.reason).toEqual(new Error('over'));
  await pause(5);
  expect(cleared.signal.aborted).toBe(false);
  expect(new Deadline(parent.signal, 1).signal.aborted).toBe(true);
  aborted.clear();
});
