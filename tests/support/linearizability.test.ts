import { describe, expect, it } from 'vitest';
import { checkLinearizability, type Operation } from './linearizability.ts';
import { seeded } from './random.ts';

/** `[called, returned]`; without `returned` the outcome is unknown. */
type Span = readonly [number, number?];

function read([called, returned]: Span, seen: string): Operation {
  return { called, returned, apply: (state) => (state === seen ? state : undefined), text: `read ${seen}` };
}

function write([called, returned]: Span, value: string): Operation {
  return { called, returned, apply: () => value, text: `write ${value}` };
}

/** Compare-and-swap. */
function swap([called, returned]: Span, from: string, to: string): Operation {
  return { called, returned, apply: (state) => (state === from ? to : undefined), text: `swap ${from} ${to}` };
}

/** A compare-and-swap that was answered with a conflict. */
function conflict([called, returned]: Span, from: string): Operation {
  return { called, returned, apply: (state) => (state === from ? undefined : state), text: `conflict ${from}` };
}

describe('a history', () => {
  it.each<[string, Operation[]]>([
    ['is empty', []],
    ['is sequential', [write([0, 1], 'a'), read([2, 3], 'a'), swap([4, 5], 'a', 'b'), read([6, 7], 'b')]],
    ['reads the old value during a write', [write([0, 10], 'a'), read([2, 3], '')]],
    ['reads the new value during a write', [write([0, 10], 'a'), read([2, 3], 'a')]],
    ['reads the old value, then the new one, during a write', [write([0, 10], 'a'), read([1, 2], ''), read([3, 4], 'a')]],
    ['has reads that overlap with two writes', [write([0, 10], 'a'), write([1, 9], 'b'), read([2, 3], 'b'), read([4, 5], 'a')]],
    ['has a write of unknown outcome that was made', [write([0], 'a'), read([5, 6], ''), read([7, 8], 'a')]],
    ['has a write of unknown outcome that was not made', [write([0], 'a'), read([5, 6], ''), read([7, 8], '')]],
    [
      'has an unknown swap that took effect late',
      [swap([0], '', 'a'), read([1, 2], ''), conflict([3, 4], ''), read([5, 6], 'a')],
    ],
    ['has a conflict with a concurrent swap', [swap([0, 5], '', 'a'), conflict([1, 4], ''), read([6, 7], 'a')]],
  ])('that %s is linearizable', (_, history) => {
    expect(checkLinearizability(history).isLinearizable).toBe(true);
  });

  it.each<[string, Operation[], string]>([
    ['reads a value that was never written', [write([0, 1], 'a'), read([2, 3], 'x')], 'read x'],
    ['lost an acknowledged write', [write([0, 1], 'a'), read([2, 3], '')], 'read '],
    ['goes back in time', [write([0, 1], 'a'), write([2, 10], 'b'), read([3, 4], 'b'), read([5, 6], 'a')], 'read a'],
    ['reads a value before it is written', [read([0, 1], 'a'), write([2, 3], 'a')], 'read a'],
    ['swaps from one state twice', [swap([0, 5], '', 'a'), swap([1, 4], '', 'b')], 'swap  b'],
    ['has a conflict without a change', [conflict([0, 1], ''), swap([2, 3], '', 'a')], 'conflict '],
    ['undoes an unknown write', [write([0], 'a'), read([1, 2], 'a'), read([3, 4], '')], 'read '],
    [
      'lets an unknown write take effect twice',
      [swap([0], '', 'a'), read([1, 2], 'a'), swap([3, 4], 'a', ''), read([5, 6], 'a')],
      'read a',
    ],
  ])('that %s is not', (_, history, stuck) => {
    const verdict = checkLinearizability(history);
    expect(verdict.isLinearizable).toBe(false);
    expect(verdict.order?.length).toBeLessThan(history.length);
    expect(verdict.stuckAt?.text).toMatch(stuck);
  });

  /** A register with concurrent clients: each call takes effect at a random point of its span. */
  function randomHistory(seed: number, length: number, clients: number): Operation[] {
    const random = seeded(seed);
    const free = Array.from({ length: clients }, () => 0);
    const calls = Array.from({ length }, (_, i) => {
      const client = random(clients);
      const called = (free[client] as number) + random(10);
      const effect = called + 1 + random(20);
      const returned = effect + 1 + random(20);
      free[client] = returned + 1;
      return { called, effect, returned, isWrite: random(3) === 0, value: `v${i}`, isUnknown: random(20) === 0 };
    });
    let state = '';
    return calls
      .sort((a, b) => a.effect - b.effect)
      .map(({ called, returned, isWrite, value, isUnknown }) => {
        if (!isWrite) return read([called, returned], state);
        const from = state;
        state = value;
        return swap(isUnknown ? [called] : [called, returned], from, value);
      });
  }

  it('of thousands of concurrent calls is checked within a second or so', () => {
    for (let seed = 1; seed <= 5; seed++) expect(checkLinearizability(randomHistory(seed, 3000, 8)).isLinearizable).toBe(true);
  });

  it('with many concurrent reads does not try all their orders', () => {
    const reads = (from: string, span: Span) => Array.from({ length: 20 }, () => read(span, from));
    const history = Array.from({ length: 20 }, (_, i) => {
      const [before, after] = [i === 0 ? '' : `v${i - 1}`, `v${i}`];
      const at = i * 100;
      const unknown = swap([at + 1], before, `lost-${i}`);
      return [
        unknown,
        swap([at, at + 90], before, after),
        ...reads(before, [at + 1, at + 80]),
        ...reads(after, [at + 2, at + 85]),
      ];
    }).flat();
    expect(checkLinearizability(history).isLinearizable).toBe(true);
    expect(checkLinearizability([...history, read([6000, 6001], 'v1')]).isLinearizable).toBe(false);
  });

  it('of thousands of calls with one wrong read is detected', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const history = randomHistory(seed, 2000, 4);
      const writes = history.filter(({ text, returned }) => text.startsWith('swap') && returned !== undefined);
      const overwritten = writes[Math.floor(writes.length / 4)] as Operation;
      const end = Math.max(...history.map(({ returned = 0 }) => returned));
      const stale = read([end + 1, end + 2], overwritten.text.split(' ')[2] as string);
      expect(checkLinearizability([...history, stale]).isLinearizable).toBe(false);
    }
  });
});
