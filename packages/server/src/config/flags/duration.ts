import { GoDurationError, goDurationMs } from '@tsukube/machinery';

const units: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** Milliseconds of a Go duration; undefined if the text is not one. */
export function parseDuration(text: string): number | undefined {
  try {
    return goDurationMs(text);
  } catch (error) {
    if (error instanceof GoDurationError) return undefined;
    throw error;
  }
}

/** The shortest way to write whole milliseconds as a Go duration: 5400000 → `1h30m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  let rest = milliseconds;
  let text = '';
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
