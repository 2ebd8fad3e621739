import { goQuote } from '../../text/go-quote.ts';
import { boolType, type CelType, intType, stringType } from '../types/type.ts';
import { CelError, CelOpaque, type CelValue, maxUint64, normalInt, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, type FunctionDeclaration, globalOverload, memberOverload } from './declarations.ts';

const semverType: CelType = { kind: 'object', name: 'kubernetes.Semver', params: [] };

class SemverValue extends CelOpaque {
  readonly type = semverType;
  readonly version: Semver;
  constructor(version: Semver) {
    super();
    this.version = version;
  }
  equals(other: CelValue): CelValue {
    return other instanceof SemverValue ? compareSemver(this.version, other.version) === 0 : noSuchOverload;
  }
  override text(): string {
    return semverText(this.version);
  }
}

function readVersion(text: string, normalize = false): CelValue {
  try {
    return new SemverValue(normalize ? parseTolerantSemver(text) : parseSemver(text));
  } catch (error) {
    if (error instanceof SemverError) return new CelError(error.message);
    throw error;
  }
}

const isVersion = (text: string, normalize?: boolean): CelValue => readVersion(text, normalize) instanceof SemverValue;

function compared(name: string, id: string, result: CelType, call: (order: number) => CelValue): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [semverType, semverType], result, (a: SemverValue, b: SemverValue) =>
      call(compareSemver(a.version, b.version)),
    ),
  );
}

function part(name: 'major' | 'minor' | 'patch'): FunctionDeclaration {
  const read = ({ version }: SemverValue): CelValue => normalInt(BigInt.asIntN(64, version[name]));
  return declare(name, memberOverload(`semver_${name}`, [semverType], intType, read));
}

export const semverLibrary: CelLibrary = {
  functions: [
    declare(
      'semver',
      globalOverload('string_to_semver', [stringType], semverType, (text: string) => readVersion(text)),
      globalOverload('string_bool_to_semver', [stringType, boolType], semverType, readVersion),
    ),
    declare(
      'isSemver',
      globalOverload('is_semver_string', [stringType], boolType, (text: string) => isVersion(text)),
      globalOverload('is_semver_string_bool', [stringType, boolType], boolType, isVersion),
    ),
    compared('isGreaterThan', 'semver_is_greater_than', boolType, (order) => order === 1),
    compared('isLessThan', 'semver_is_less_than', boolType, (order) => order === -1),
    compared('compareTo', 'semver_compare_to', intType, (order) => order),
    part('major'),
    part('minor'),
    part('patch'),
  ],
};

export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly prerelease: readonly (bigint | string)[];
  readonly build: readonly string[];
}

/** Not a semantic version. */
class SemverError extends Error {
  override readonly name = 'SemverError';
}

function splitInThree(text: string): string[] {
  const [first = '', second, ...rest] = text.split('.');
  if (second === undefined) return [first];
  return rest.length === 0 ? [first, second] : [first, second, rest.join('.')];
}

/** Throws SemverError. */
function parseSemver(text: string): Semver {
  if (text === '') throw new SemverError('Version string empty');
  const [major, minor, rest] = splitInThree(text);
  if (rest === undefined) throw new SemverError('No Major.Minor.Patch elements found');
  const [core = '', build] = cut(rest, '+');
  const [patch = '', prerelease] = cut(core, '-');
  return {
    major: readNumber('Major', major ?? ''),
    minor: readNumber('Minor', minor ?? ''),
    patch: readNumber('Patch', patch),
    prerelease: prerelease === undefined ? [] : prerelease.split('.').map(readPrerelease),
    build: build === undefined ? [] : build.split('.').map(readBuild),
  };
}

function cut(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function readNumber(what: string, text: string): bigint {
  if (/[^0-9]/.test(text)) throw new SemverError(`Invalid character(s) found in ${what.toLowerCase()} number ${goQuote(text)}`);
  if (/^0./.test(text)) throw new SemverError(`${what} number must not contain leading zeroes ${goQuote(text)}`);
  return readUint(text);
}

function readUint(text: string): bigint {
  if (text === '') throw new SemverError('strconv.ParseUint: parsing "": invalid syntax');
  const value = text.length > 20 ? maxUint64 + 1n : BigInt(text);
  if (value > maxUint64) throw new SemverError(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`);
  return value;
}

function readPrerelease(text: string): bigint | string {
  if (text === '') throw new SemverError('Prerelease is empty');
  if (/[^0-9A-Za-z-]/.test(text)) throw new SemverError(`Invalid character(s) found in prerelease ${goQuote(text)}`);
  if (/[^0-9]/.test(text)) return text;
  if (/^0./.test(text)) throw new SemverError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`);
  return readUint(text);
}

function readBuild(text: string): string {
  if (text === '') throw new SemverError('Build meta data is empty');
  if (/[^0-9A-Za-z-]/.test(text)) throw new SemverError(`Invalid character(s) found in build meta data ${goQuote(text)}`);
  return text;
}

/** Accepts `v1.02` as `1.2.0`. Throws SemverError. */
function parseTolerantSemver(text: string): Semver {
  const parts = splitInThree(text.replace(/^v/, '')).map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    throw new SemverError('short version cannot contain PreRelease/Build meta data');
  }
  return parseSemver([...parts, '0', '0'].slice(0, 3).join('.'));
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part;
  const rest = part.replace(/^0+/, '');
  return /^[0-9]/.test(rest) ? rest : `0${rest}`;
}

/** Build metadata is ignored; a prerelease sorts before its release. */
function compareSemver(a: Semver, b: Semver): number {
  const [left, right] = [a.prerelease, b.prerelease];
  const core = order(a.major, b.major) || order(a.minor, b.minor) || order(a.patch, b.patch);
  if (core !== 0 || (left.length === 0 && right.length === 0)) return core;
  if (left.length === 0 || right.length === 0) return left.length === 0 ? 1 : -1;
  return comparePrereleases(left, right);
}

function comparePrereleases(left: readonly (bigint | string)[], right: readonly (bigint | string)[]): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = comparePart(left[i] as bigint | string, right[i] as bigint | string);
    if (difference !== 0) return difference;
  }
  return order(left.length, right.length);
}

/** Numeric identifiers sort before alphanumeric ones. */
function comparePart(a: bigint | string, b: bigint | string): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1;
  return order(a, b);
}

function order<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function semverText({ major, minor, patch, prerelease, build }: Semver): string {
  const pre = prerelease.length === 0 ? '' : `-${prerelease.join('.')}`;
  return `${major}.${minor}.${patch}${pre}${build.length === 0 ? '' : `+${build.join('.')}`}`;
}
