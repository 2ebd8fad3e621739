/** Stores order keys by their bytes. So does JavaScript, as long as no character lies in or beyond the surrogates. */
const exotic = /[\ud800-\uffff]/;

export function isExotic(key: string): boolean {
  return exotic.test(key);
}

/** Whether one key comes before another by bytes. */
export function comesBefore(a: string, b: string): boolean {
  return isExotic(a) || isExotic(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0 : a < b;
}

/** A string greater than every key with the prefix. */
export function afterPrefix(prefix: string): string {
  return `${prefix}\u{10ffff}`;
}
