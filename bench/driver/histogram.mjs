/**
 * Latencies in logarithmic buckets one per cent wide: mergeable, of constant size, and exact enough for a p99.
 * @typedef {{ counts: Uint32Array, total: number, sum: number }} Histogram  sum is in milliseconds
 */

const growth = Math.log(1.01);
const bucketCount = 2048;

/** @returns {Histogram} */
export function createHistogram() {
  return { counts: new Uint32Array(bucketCount), total: 0, sum: 0 };
}

/** @param {Histogram} histogram @param {number} milliseconds */
export function record(histogram, milliseconds) {
  const bucket = Math.floor(Math.log(milliseconds * 1000) / growth);
  histogram.counts[Math.min(Math.max(bucket, 0), bucketCount - 1)]++;
  histogram.total++;
  histogram.sum += milliseconds;
}

/** @param {readonly Histogram[]} parts @returns {Histogram} */
export function mergeHistograms(parts) {
  const merged = createHistogram();
  for (const part of parts) {
    for (let bucket = 0; bucket < bucketCount; bucket++) merged.counts[bucket] += part.counts[bucket] ?? 0;
    merged.total += part.total;
    merged.sum += part.sum;
  }
  return merged;
}

/**
 * @param {Histogram} histogram
 * @param {number} quantile between 0 and 1
 * @returns {number} milliseconds, the middle of the bucket; NaN when nothing was recorded
 */
export function quantileOf(histogram, quantile) {
  if (histogram.total === 0) return Number.NaN;
  const wanted = Math.ceil(histogram.total * quantile);
  let seen = 0;
  let bucket = 0;
  while (bucket < bucketCount - 1 && seen + (histogram.counts[bucket] ?? 0) < wanted) seen += histogram.counts[bucket++] ?? 0;
  return Math.exp((bucket + 0.5) * growth) / 1000;
}

/** @param {Histogram} histogram */
export function meanOf(histogram) {
  return histogram.sum / histogram.total;
}
