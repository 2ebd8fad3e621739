/** Whether a text takes more than so many bytes in UTF-8. Limits of Kubernetes count bytes, not characters. */
export function longerThanBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}

/** Removes all trailing occurrences of a character, as Go's strings.TrimRight. A regular expression for this is quadratic. */
export function trimRight(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}

/** Removes a character from both ends, as Go's strings.Trim. */
export function trimBoth(text: string, character: string): string {
  const rest = trimRight(text, character);
  let start = 0;
  while (start < rest.length && rest[start] === character) start++;
  return rest.slice(start);
}
