/** Names and values in turns, as node keeps them. */
export function visitHeaders(
  raw: readonly string[],
  isConcealed: ((name: string) => boolean) | undefined,
  visit: (name: string, value: string) => void,
): void {
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (!isConcealed?.(name)) visit(name, raw[i + 1] as string);
  }
}
