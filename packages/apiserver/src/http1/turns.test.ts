import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('has all answered before anything is sent', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const waiting = (name: string) => ({ take: () => log.push(`take ${name}`), send: () => log.push(`send ${name}`) });
  turns.add(waiting('a'));
  turns.add(waiting('b'));
  expect(log).toEqual([]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['take a', 'take b', 'send a', 'send b']);
});

it('leaves to the next turn what comes during one', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const late = { take: () => log.push('take late'), send: () => log.push('send late') };
  turns.add({ take: () => log.push('take'), send: () => turns.add(late) });
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['take']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(log).toEqual(['take', 'take late', 'send late']);
});
