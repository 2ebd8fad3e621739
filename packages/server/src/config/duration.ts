const millisecondsPer: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const part = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Milliseconds of a duration as Go writes it: `1h30m`, `300ms`, `1.5s`, `0`. Undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '') return undefined;
  let total = 0;
  part.lastIndex = 0;
  while (part.lastIndex < unsigned.length) {
    const match = part.exec(unsigned);
    if (!match) return undefined;
    total += Number(match[1]) * (millisecondsPer[match[2] as string] as number);
  }
  return sign * total;
}

/** The shortest way to write whole milliseconds as a Go duration: 5400000 → `1h30m`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return '0s';
  let rest = milliseconds;
  let text = '';
  for (const unit of ['h', 'm', 's', 'ms'] as const) {
    const size = millisecondsPer[unit] as number;
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
