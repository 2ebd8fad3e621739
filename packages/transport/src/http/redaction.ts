import type { HeaderRedaction } from './exchange.ts';

/** Calls `visit` with each field of `raw`, in which names and values alternate as in Node's rawHeaders. */
export function visitHeaders(
  raw: readonly string[],
  redact: HeaderRedaction | undefined,
  visit: (name: string, value: string) => void,
): void {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const value = raw[i + 1] ?? '';
    const shown = redact ? redact(name, value) : value;
    if (shown !== undefined) visit(name, shown);
  }
}

export function bothRedactions(first: HeaderRedaction | undefined, second: HeaderRedaction): HeaderRedaction {
  if (!first) return second;
  return (name, value) => {
    const shown = first(name, value);
    return shown === undefined ? undefined : second(name, shown);
  };
}
