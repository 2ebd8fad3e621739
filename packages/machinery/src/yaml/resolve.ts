import type { Scalar } from 'yaml';
import type { JsonValue } from '../json/value.ts';
import { goFloatText } from '../text/go-value.ts';
import { YamlSyntaxError } from './document.ts';
/** The value of an unquoted scalar in YAML 1.1, as Go's yaml package resolves it. */
export type Resolved =
  | { readonly is: 'string' | 'timestamp' | 'merge' }
  | { readonly is: 'null'; readonly value: null }
  | { readonly is: 'bool'; readonly value: boolean }
  | { readonly is: 'int'; readonly value: number | bigint }
  | { readonly is: 'float'; readonly value: number };

const text: Resolved = { is: 'string' };
const timestamp: Resolved = { is: 'timestamp' };

const words = new Map<string, Resolved>([
  ...spellings(['y', 'yes', 'true', 'on'], { is: 'bool', value: true }),
  ...spellings(['n', 'no', 'false', 'off'], { is: 'bool', value: false }),
  ...spellings(['null'], { is: 'null', value: null }),
  ['', { is: 'null', value: null }],
  ['~', { is: 'null', value: null }],
  ...floats(['.nan', '.NaN', '.NAN'], Number.NaN),
  ...floats(['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'], Number.POSITIVE_INFINITY),
  ...floats(['-.inf', '-.Inf', '-.INF'], Number.NEGATIVE_INFINITY),
  ['<<', { is: 'merge' }],
]);

const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const dotFloat = /^\.[0-9]+([eE][-+]?[0-9]+)?$/;
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

export function resolvePlain(source: string): Resolved {
  const word = words.get(source);
  if (word !== undefined) return word;
  const first = source.charCodeAt(0);
  if (first === 0x2e) return dotFloat.test(source) ? toFloat(source) : text;
  if ((first >= 0x30 && first <= 0x39) || first === 0x2b || first === 0x2d) return resolveNumber(source);
  return text;
}

function resolveNumber(source: string): Resolved {
  if (isTimestamp(source)) return timestamp;
  const plain = source.replaceAll('_', '');
  const integer = parseInteger(plain);
  if (integer !== undefined) return { is: 'int', value: integer };
  return float.test(plain) ? toFloat(plain) : text;
}

/** A number out of a double's range stays a string. */
function toFloat(source: string): Resolved {
  const value = Number(source);
  return Number.isFinite(value) ? { is: 'float', value } : text;
}

/** Decimal, 0x, 0o, 0b, and octal with a leading zero, within int64; unsigned up to 2^64, then inexact. */
function parseInteger(plain: string): number | bigint | undefined {
  const match = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|0|[1-9][0-9]*)$/.exec(plain);
  if (match === null || plain.length > 70) return undefined;
  const [, sign, digits = ''] = match;
  const magnitude = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === '-' ? -magnitude : magnitude;
  if (value > maxInt64) return sign === '' && value < 2n ** 64n ? Number(value) : undefined;
  if (value < minInt64) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const timestampShape =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+]([0-9]{2}):([0-9]{2})))|(?: +([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?))?$/;

/** A timestamp is a string in JSON, but must be quoted in YAML. */
function isTimestamp(source: string): boolean {
  const match = timestampShape.exec(source);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map((part) => Number(part ?? 0));
  const [hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0, ...unzoned] = rest;
  const isTime = (h: number, m: number, s: number) => h < 24 && m < 60 && s < 60;
  const [h = 0, m = 0, s = 0] = unzoned;
  if (!isTime(hour, minute, second) || !isTime(h, m, s) || zoneHour > 24 || zoneMinute > 60) return false;
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}

function spellings(lower: readonly string[], resolved: Resolved): [string, Resolved][] {
  return lower.flatMap((word) =>
    [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()].map((spelling): [string, Resolved] => [
      spelling,
      resolved,
    ]),
  );
}

function floats(spelled: readonly string[], value: number): [string, Resolved][] {
  return spelled.map((spelling) => [spelling, { is: 'float', value }]);
}

const tagPrefix = 'tag:yaml.org,2002:';
const resolvable: ReadonlySet<string> = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp']);

export function scalarValue(node: Scalar): JsonValue {
  const source = node.source ?? '';
  if (node.tag !== undefined) return taggedValue(source, node.tag);
  return node.type === 'PLAIN' ? plainValue(source) : source;
}

function plainValue(source: string): JsonValue {
  const resolved = resolvePlain(source);
  if (!('value' in resolved)) return source;
  if (resolved.is === 'float' && !Number.isFinite(resolved.value)) {
    throw new YamlSyntaxError(`json: unsupported value: ${infiniteText(resolved.value)}`);
  }
  return resolved.value;
}

/** Tags without a JSON equivalent are ignored. */
function taggedValue(source: string, longTag: string): JsonValue {
  const tag = longTag.startsWith(tagPrefix) ? longTag.slice(tagPrefix.length) : '';
  if (tag === 'binary') return Buffer.from(source, 'base64').toString('utf8');
  if (tag === 'str' || !resolvable.has(tag)) return source;
  const { is } = resolvePlain(source);
  if (is !== tag && !(is === 'int' && tag === 'float')) {
    throw new YamlSyntaxError(`yaml: cannot decode !!${is === 'string' ? 'str' : is} \`${source}\` as a !!${tag}`);
  }
  return plainValue(source);
}

/** Converts a key of another type to a string. */
export function keyText(key: Exclude<JsonValue, object> | null): string {
  if (key === null) throw new YamlSyntaxError('unsupported map key of type: %!s(<nil>), key: <nil>');
  return typeof key === 'number' && !Number.isInteger(key) ? shortFloat(key) : String(key);
}

/** The shortest decimal that identifies a float32. */
function shortFloat(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === Math.fround(value)) return goFloatText(short);
  }
  return goFloatText(Number(value.toPrecision(9)));
}

function infiniteText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}
