import { statSync } from 'node:fs';
import { join } from 'node:path';
import { clock } from '../support/progress.ts';

const mebibyte = 1 << 20;

/** Memory of the server after a garbage collection, and the size of its database on disk. In MiB. */
export interface Sample {
  readonly atMs: number;
  readonly heap: number;
  /** Buffers outside of the heap. */
  readonly external: number;
  readonly resident: number;
  readonly file: number;
}

export function sampleOf(atMs: number, memory: NodeJS.MemoryUsage, dataDir: string): Sample {
  const { size } = statSync(join(dataDir, 'data', 'data.mdb'));
  return {
    atMs,
    heap: memory.heapUsed / mebibyte,
    external: memory.external / mebibyte,
    resident: memory.rss / mebibyte,
    file: size / mebibyte,
  };
}

export type Quantity = 'heap' | 'external' | 'resident' | 'file';

/** The allowed growth over the whole run, by the slope of the samples: a fraction of the median, and at least `mebibytes`. */
const allowed: Record<Quantity, { readonly part: number; readonly mebibytes: number }> = {
  heap: { part: 0.1, mebibytes: 8 },
  external: { part: 0.2, mebibytes: 16 },
  resident: { part: 0.15, mebibytes: 32 },
  file: { part: 0.15, mebibytes: 16 },
};

/** The first part of the samples is ignored, while caches fill and code is compiled. */
const warmUp = 0.25;

export interface Trend {
  readonly quantity: Quantity;
  readonly median: number;
  /** MiB per hour. */
  readonly slope: number;
  /** MiB after the warm-up. */
  readonly gained: number;
  readonly isFlat: boolean;
}

export function trendsOf(samples: readonly Sample[]): Trend[] {
  const counted = samples.slice(Math.floor(samples.length * warmUp));
  return (Object.keys(allowed) as Quantity[]).map((quantity) => trendOf(quantity, counted));
}

function trendOf(quantity: Quantity, samples: readonly Sample[]): Trend {
  const slope = leastSquares(samples.map(({ atMs, [quantity]: value }) => [atMs, value]));
  const gained = slope * ((samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0));
  const median = samples.map((each) => each[quantity]).sort((a, b) => a - b)[samples.length >> 1] ?? 0;
  const { part, mebibytes } = allowed[quantity];
  return { quantity, median, slope: slope * 3_600_000, gained, isFlat: gained <= Math.max(part * median, mebibytes) };
}

/** The slope of the least-squares line. */
function leastSquares(points: readonly (readonly [number, number])[]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return spread === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

export function describeTrend({ quantity, median, slope, gained, isFlat }: Trend): string {
  const figures = `median ${median.toFixed(1)} MiB, ${signed(slope)} MiB an hour, ${signed(gained)} MiB gained`;
  return `${quantity}: ${isFlat ? 'flat' : 'GROWS'} (${figures})`;
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${value.toFixed(1)}`;
}

export const tableHead = '   time   requests    events  errors   heap  external  resident    file (MiB)';

export function tableRow(sample: Sample, counts: { requests: number; events: number; errors: number }): string {
  const cells = [
    String(counts.requests).padStart(9),
    String(counts.events).padStart(8),
    String(counts.errors).padStart(6),
    sample.heap.toFixed(1).padStart(5),
    sample.external.toFixed(1).padStart(8),
    sample.resident.toFixed(1).padStart(8),
    sample.file.toFixed(1).padStart(6),
  ];
  return ` ${clock(sample.atMs)}  ${cells.join('  ')}`;
}
