/** Whether a text takes more than so many bytes in UTF-8. Limits of Kubernetes count bytes, not characters. */
export function longerThanBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && Buffer.byteLength(text) > limit;
}
