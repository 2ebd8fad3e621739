import type { coreV1 } from '@tsukube/api/kinds';

export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** The completion index of a pod; undefined if it has none. */
export function completionIndex({ metadata }: coreV1.Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Reads `1,3-5,7`. Indexes at or beyond `completions` are dropped. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const interval of (text ?? '').split(',')) {
    const [first = '', last = first] = interval.split('-');
    if (!/^[0-9]{1,9}$/.test(first) || !/^[0-9]{1,9}$/.test(last)) continue;
    const end = Math.min(Number(last), completions - 1);
    for (let index = Number(first); index <= end; index++) indexes.add(index);
  }
  return indexes;
}

/** Writes `1,3-5,7`; two neighbours are `3,4`. */
export function formatIndexes(indexes: Iterable<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const intervals: [number, number][] = [];
  for (const index of sorted) {
    const last = intervals.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else intervals.push([index, index]);
  }
  const text = ([first, last]: [number, number]) =>
    first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`;
  return intervals.map(text).join(',');
}
