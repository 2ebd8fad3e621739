import { describe, expect, it } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

const MIB = 2 ** 20;

/** Plays ticks of which each has been busy or idle, and gives the ticks that collected. */
function play(ticks: readonly { busy: boolean; residentMib: number }[]): number[] {
  const collected: number[] = [];
  let at = -1;
  const idle = new IdleMemory({
    collect: () => collected.push(at),
    utilization: () => (ticks[at]?.busy ? 0.5 : 0.001),
    resident: () => (ticks[Math.max(at, 0)]?.residentMib ?? 0) * MIB,
  });
  for (at = 0; at < ticks.length; at++) idle.tick();
  return collected;
}

const rest = (residentMib: number) => ({ busy: false, residentMib });
const work = (residentMib: number) => ({ busy: true, residentMib });

describe('memory when idle', () => {
  it.each([
    ['is not looked at while there is work', [rest(70), work(300), work(400), work(400)], []],
    [
      'is given back in the second idle tick, and twice more',
      [rest(70), work(300), rest(300), rest(300), rest(200), rest(150), rest(150), rest(150)],
      [3, 4, 5],
    ],
    ['is left alone if little came since', [rest(70), work(90), rest(90), rest(90), rest(90)], []],
    [
      'is given back again after more work',
      [rest(70), work(300), rest(300), rest(120), rest(110), work(300), rest(300), rest(300)],
      [3, 4, 7],
    ],
    ['waits for the end of a short pause in the work', [rest(70), work(300), rest(300), work(300), rest(300), work(300)], []],
  ])('%s', (_, ticks, expected) => {
    expect(play(ticks)).toEqual(expected);
  });
});
