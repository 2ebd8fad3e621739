import { BoundedCache } from '../cache/bounded-cache.ts';
import { stringifyJson } from '../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { goQuote } from '../text/go-quote.ts';

/** A path element in the notation of FieldsV1: `f:name`, `k:{"name":"x"}`, `v:"x"`, `i:0`. */
export type PathElement = string;

/** Marks the path of an inner element as a member of the set. */
export const self = '.';

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: JsonValue): PathElement {
  return `v:${stringifyJson(value)}`;
}

/** The element of an item in a list of type map; `keys` are sorted by name. */
export function keyElement(keys: JsonObject): PathElement {
  let text = '';
  for (const name in keys) text += `${text === '' ? '' : ','}${quoted(name)}:${scalarJson(keys[name] as JsonValue)}`;
  return `k:{${text}}`;
}

function scalarJson(value: JsonValue): string {
  return typeof value === 'string' ? quoted(value) : stringifyJson(value);
}

const plain = /^[\w:./-]*$/;

/** A string as JSON. Most need no escaping. */
export function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : stringifyJson(text);
}

/** The part after the prefix: a field name, or JSON. */
export function contentOf(element: PathElement): string {
  return element.slice(2);
}

const ranks: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** A parsed element. */
interface ParsedElement {
  readonly element: PathElement;
  readonly kind: string;
  /** The keys or the value of an item. */
  readonly value: JsonValue;
}

/** Path elements of list items repeat in many objects. */
const parsed = new BoundedCache<PathElement, ParsedElement>({
  entries: 8_192,
  bytes: 128 * 1024,
  sizeOf: (_parsed, element) => element.length,
});

function parseElement(element: PathElement): ParsedElement {
  const kind = element.charAt(0);
  if (kind !== 'k' && kind !== 'v') return { element, kind, value: null };
  const known = parsed.get(element);
  if (known !== undefined) return known;
  const found = { element, kind, value: JSON.parse(contentOf(element)) as JsonValue };
  parsed.set(element, found);
  return found;
}

/** The order of FieldsV1: fields, then items by keys, by value, by index. */
function compareParsed(a: ParsedElement, b: ParsedElement): number {
  if (a.kind !== b.kind) return (ranks[a.kind] ?? 5) - (ranks[b.kind] ?? 5);
  if (isObject(a.value) && isObject(b.value)) return compareKeys(a.value, b.value);
  if (a.kind === 'v') return compareValues(a.value, b.value);
  if (a.kind === 'i') return Number(contentOf(a.element)) - Number(contentOf(b.element));
  return compareText(a.element, b.element);
}

/** The elements in the order of FieldsV1; the same list if they are sorted. */
export function sortElements(elements: readonly PathElement[]): readonly PathElement[] {
  if (inOrderOfNames(elements)) return elements;
  const all = elements.map(parseElement);
  const inOrder = all.every((element, i) => i === 0 || compareParsed(all[i - 1] as ParsedElement, element) <= 0);
  return inOrder ? elements : all.sort(compareParsed).map(({ element }) => element);
}

/** Whether these are only fields and sorted, as most are. */
function inOrderOfNames(elements: readonly PathElement[]): boolean {
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i] as PathElement;
    if (element[0] !== 'f' && !(i === 0 && element === self)) return false;
    if (i > 0 && (elements[i - 1] as PathElement) > element) return false;
  }
  return true;
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [name, value] = left[i] as [string, JsonValue];
    const [otherName, otherValue] = right[i] as [string, JsonValue];
    const order = compareText(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const typeOrder: readonly string[] = ['number', 'bigint', 'string', 'boolean', 'object'];

function compareValues(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a !== typeof b) return typeOrder.indexOf(typeof a) - typeOrder.indexOf(typeof b);
  return Number(a) - Number(b);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The element in messages: `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`. */
export function describeElement(element: PathElement): string {
  const content = contentOf(element);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'k':
      return `[${Object.entries(JSON.parse(content) as JsonObject)
        .map(([name, value]) => `${name}=${describeValue(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${describeValue(JSON.parse(content) as JsonValue)}]`;
    default:
      return `[${content}]`;
  }
}

function describeValue(value: JsonValue): string {
  return typeof value === 'string' ? goQuote(value) : stringifyJson(value);
}

export function describePath(path: readonly PathElement[]): string {
  return path.map(describeElement).join('');
}
