const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

/** The order in which Kubernetes writes the keys of a map as YAML: numbers within keys count as numbers, letters come last. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return isLess([...a], [...b]) ? -1 : 1;
}

function isLess(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [left = '', right = ''] = [a[i], b[i]];
    if (left === right) continue;
    const [leftIsLetter, rightIsLetter] = [letter.test(left), letter.test(right)];
    if (leftIsLetter && rightIsLetter) return codeOf(left) < codeOf(right);
    if (leftIsLetter || rightIsLetter) return rightIsLetter;
    return isLessNumber(a, b, i);
  }
  return a.length < b.length;
}

function isLessNumber(a: readonly string[], b: readonly string[], start: number): boolean {
  // A zero within a number counts as a digit, one that begins a number does not.
  const within = (a[start] === '0' || b[start] === '0') && followsNonZero(a, start) ? 1n : 0n;
  const [left, right] = [readNumber(a, start, within), readNumber(b, start, within)];
  if (left.value !== right.value) return left.value < right.value;
  if (left.end !== right.end) return left.end < right.end;
  return codeOf(a[start]) < codeOf(b[start]);
}

function followsNonZero(characters: readonly string[], start: number): boolean {
  for (let i = start - 1; i >= 0 && digit.test(characters[i] ?? ''); i--) if (characters[i] !== '0') return true;
  return false;
}

function readNumber(characters: readonly string[], start: number, initial: bigint): { value: bigint; end: number } {
  let value = initial;
  let end = start;
  for (; end < characters.length && digit.test(characters[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(characters[end]) - 0x30));
  }
  return { value, end };
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? 0;
}
