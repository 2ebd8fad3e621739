import { describe, expect, it } from 'vitest';
import type { SqlFailure } from './dialect.ts';
import type { SqlHost } from './dsn.ts';
import { NoPrimary, PrimaryFinder } from './primary.ts';

const hosts: SqlHost[] = ['a', 'b', 'c'].map((host) => ({ host, port: 1 }));

/** Hosts answer with their name, or fail with the message that stands for the failure. */
function finder(answers: Record<string, SqlFailure | 'primary'>) {
  const tried: string[] = [];
  const times: number[] = [];
  const connect = async ({ host }: SqlHost, timeoutMs: number) => {
    tried.push(host);
    times.push(timeoutMs);
    if (answers[host] === 'primary') return host;
    throw new Error(answers[host]);
  };
  const primary = new PrimaryFinder(hosts, connect, (error) => (error as Error).message as SqlFailure);
  return { primary, tried, times, answers };
}

describe('the search for a primary', () => {
  it('begins with the host that took writes last', async () => {
    const { primary, tried, answers } = finder({ a: 'lost', b: 'primary', c: 'read-only' });
    expect(await primary.connect(1_000)).toBe('b');
    expect(await primary.connect(1_000)).toBe('b');
    Object.assign(answers, { b: 'lost', c: 'primary' });
    expect(await primary.connect(1_000)).toBe('c');
    expect(tried.join('')).toBe('abbbc');
  });

  it('leaves time for every host', async () => {
    const { primary, times } = finder({ a: 'lost', b: 'lost', c: 'primary' });
    await primary.connect(3_000);
    expect(times.map((ms) => Math.round(ms / 100) * 100)).toEqual([1_000, 1_500, 3_000]);
  });

  it.each<[SqlFailure, Record<string, SqlFailure>]>([
    ['lost', { a: 'refused', b: 'read-only', c: 'lost' }],
    ['read-only', { a: 'refused', b: 'read-only', c: 'read-only' }],
    ['refused', { a: 'refused', b: 'refused', c: 'refused' }],
  ])('fails with %s: retries are useful if one of the hosts may recover', async (failure, answers) => {
    const error: unknown = await finder(answers)
      .primary.connect(1_000)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(NoPrimary);
    expect(error).toMatchObject({ failure, message: `a:1: ${answers.a}; b:1: ${answers.b}; c:1: ${answers.c}` });
  });
});
