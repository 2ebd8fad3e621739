import { canonicalJson, type JsonObject, textIn } from '@tsukube/machinery';

/** Both lists without the tolerations that another one covers. */
export function mergeTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second].map((toleration) => ({ toleration, text: canonicalJson(toleration) }));
  const later = coveredLater(all);
  const merged: JsonObject[] = [];
  const before = new Coverage();
  for (const [i, { toleration, text }] of all.entries()) {
    if (later[i] || before.has(text) || before.covers(toleration)) continue;
    merged.push(toleration);
    before.add(toleration, text);
  }
  return merged;
}

interface Listed {
  readonly toleration: JsonObject;
  readonly text: string;
}

/** For each toleration, whether a later, different one covers it. */
function coveredLater(all: readonly Listed[]): readonly boolean[] {
  const after = new Coverage();
  const covered = all.toReversed().map(({ toleration, text }) => {
    const isCovered = after.covers(toleration, text);
    after.add(toleration, text);
    return isCovered;
  });
  return covered.reverse();
}

/** A toleration and how long it lasts. */
interface Reach {
  readonly text: string;
  readonly seconds: number;
}

/**
 * Tolerations by key, effect and value (or any value). Among those with the same match the one with the longest
 * tolerationSeconds covers the others. The second longest is kept to check the longest itself.
 */
class Coverage {
  readonly #longest = new Map<string, readonly Reach[]>();
  readonly #texts = new Set<string>();

  has(text: string): boolean {
    return this.#texts.has(text);
  }

  add(toleration: JsonObject, text: string): void {
    if (this.has(text)) return;
    this.#texts.add(text);
    const match = matchOf(toleration);
    if (match === undefined) return;
    const seconds = textIn(toleration, 'effect') === 'NoExecute' ? secondsOf(toleration) : Number.POSITIVE_INFINITY;
    const all = [...(this.#longest.get(match) ?? []), { text, seconds }];
    this.#longest.set(match, all.sort((a, b) => b.seconds - a.seconds).slice(0, 2));
  }

  /** Whether a toleration is covered by one with a different text. */
  covers(toleration: JsonObject, text?: string): boolean {
    return matchesOf(toleration).some(([match, lasts]) =>
      this.#longest.get(match)?.some((reach) => reach.text !== text && reach.seconds >= lasts),
    );
  }
}

/** A toleration without tolerationSeconds lasts forever. */
function secondsOf({ tolerationSeconds }: JsonObject): number {
  return tolerationSeconds === undefined ? Number.POSITIVE_INFINITY : Number(tolerationSeconds);
}

/** Cannot be a key: keys are prefixed with an equals sign. */
const anyKey = '*';

/** The match of a toleration; undefined if it covers only equal tolerations. */
function matchOf(wide: JsonObject): string | undefined {
  const [key, operator, effect] = ['key', 'operator', 'effect'].map((field) => textIn(wide, field));
  if (operator === 'Exists') return JSON.stringify([key === '' ? anyKey : `=${key}`, effect, 'Exists']);
  return operator === 'Equal' || operator === '' ? JSON.stringify([`=${key}`, effect, 'Equal', wide.value]) : undefined;
}

/** The matches that cover a toleration, each with the minimum tolerationSeconds. */
function matchesOf(narrow: JsonObject): readonly (readonly [match: string, seconds: number])[] {
  const [key, effect] = [`=${textIn(narrow, 'key')}`, textIn(narrow, 'effect')];
  const kinds: string[][] = [
    [anyKey, 'Exists'],
    [key, 'Exists'],
  ];
  const value = narrow.operator === 'Equal' ? [[key, 'Equal', narrow.value]] : [];
  return [...kinds, ...value].flatMap(([of, ...rest]) =>
    (effect === '' ? [''] : ['', effect]).map(
      (wide) =>
        [JSON.stringify([of, wide, ...rest]), wide === 'NoExecute' ? secondsOf(narrow) : Number.NEGATIVE_INFINITY] as const,
    ),
  );
}

/** Whether each toleration is in a list, or covered by one of the list. */
export function areCovered(tolerations: readonly JsonObject[], list: readonly JsonObject[]): boolean {
  const coverage = new Coverage();
  for (const each of list) coverage.add(each, canonicalJson(each));
  return tolerations.every((toleration) => coverage.has(canonicalJson(toleration)) || coverage.covers(toleration));
}
