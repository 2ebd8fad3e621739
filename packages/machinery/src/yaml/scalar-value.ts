import type { Scalar } from 'yaml';
import type { JsonValue } from '../json/value.ts';
import { goFloatText } from '../text/go-value.ts';
import { resolvePlain } from './resolve.ts';
import { YamlSyntaxError } from './syntax-error.ts';

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

/** A tag that means nothing to JSON is ignored. */
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

/** Keys that are no strings become such. */
export function keyText(key: Exclude<JsonValue, object> | null): string {
  if (key === null) throw new YamlSyntaxError('unsupported map key of type: %!s(<nil>), key: <nil>');
  return typeof key === 'number' && !Number.isInteger(key) ? shortFloat(key) : String(key);
}

/** The fewest digits that tell a number from others of half the usual precision. */
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
