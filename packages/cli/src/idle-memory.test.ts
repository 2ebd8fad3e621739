import { describe, expect, it } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

const MIB = 2 ** 20;

interface Tick {
  readonly busy: boolean;
  readonly residentMib: number;
  readonly mappedMib?: number;
}

/** Runs busy or idle ticks and returns those that collected garbage and those that trimmed. */
async function play(ticks: readonly Tick[], trimmed = async () => {}): Promise<{ collected: number[]; trims: number[] }> {
  const collected: number[] = [];
  const trims: number[] = [];
  let at = -1;
  const now = () => ticks[Math.max(at, 0)];
  const idle = new IdleMemory({
    collect: () => collected.push(at),
    trim: () => {
      trims.push(at);
      return trimmed();
    },
    utilization: () => (ticks[at]?.busy ? 0.5 : 0.001),
    resident: () => (now()?.residentMib ?? 0) * MIB,
    mapped: () => (now()?.mappedMib ?? 0) * MIB,
  });
  for (at = 0; at < ticks.length; at++) await idle.tick();
  return { collected, trims };
}

const rest = (residentMib: number): Tick => ({ busy: false, residentMib });
const work = (residentMib: number, mappedMib = 0): Tick => ({ busy: true, residentMib, mappedMib });

describe('memory when idle', () => {
  it.each([
    ['is not collected under load', [rest(70), work(300), work(400), work(400)], [], []],
    [
      'is released in the second idle tick, with three more garbage collections',
      [rest(70), work(300), rest(300), rest(300), rest(200), rest(150), rest(150), rest(150), rest(150)],
      [3, 4, 5, 6],
      [3],
    ],
    ['is released after the start', [rest(70), rest(70), rest(60), rest(60), rest(60), rest(60)], [1, 2, 3, 4], [1]],
    ['is not collected again after little growth', [rest(70), rest(70), work(80), rest(80), rest(80), rest(80)], [1], [1]],
    [
      'is released again after more load',
      [rest(70), work(300), rest(300), rest(120), rest(110), work(300), rest(300), rest(300)],
      [3, 4, 7],
      [3, 7],
    ],
    ['is not released in a short pause', [rest(70), work(300), rest(300), work(300), rest(300), work(300)], [], []],
  ])('%s', async (_, ticks, collected, trims) => {
    expect(await play(ticks)).toEqual({ collected, trims });
  });
});

describe('mapped memory under load', () => {
  it('is kept below the threshold', async () => {
    expect((await play([rest(70), work(300, 200), work(300, 250)])).trims).toEqual([]);
  });

  it('is released above the threshold, at intervals', async () => {
    const ticks = [rest(70), ...Array.from({ length: 40 }, () => work(700, 300))];
    expect(await play(ticks)).toEqual({ collected: [], trims: [1, 16, 31] });
  });

  it('is kept if trimming fails', async () => {
    const closed = () => Promise.reject(new Error('the store is closed'));
    expect((await play([rest(70), work(700, 300), work(700, 300)], closed)).trims).toEqual([1]);
  });
});
