/** Whether a text exceeds a limit in bytes of UTF-8. Kubernetes' limits count bytes, not characters. */
export function longerThanBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** The message of several errors, as in Kubernetes' Aggregate: without repetitions, in brackets if more than one is left. */
export function aggregateMessage(messages: readonly string[]): string {
  const [first = '', ...others] = new Set(messages);
  return others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}

/** Go's strings.TrimRight for one character. A regular expression for this would be quadratic. */
export function trimRight(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Go's strings.Trim for one character. */
export function trimBoth(text: string, character: string): string {
  const rest = trimRight(text, character);
  let start = 0;
  while (start < rest.length && rest[start] === character) start++;
  return rest.slice(start);
}
