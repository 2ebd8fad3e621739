import { declare, type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { boolType, type CelType, intType, stringType } from '../types/type.ts';
import { normalInt } from '../values/integer.ts';
import { CelError, CelOpaque, type CelValue, noSuchOverload } from '../values/value.ts';
import { compareSemver, parseSemver, parseTolerantSemver, type Semver, SemverError, semverText } from './semver-text.ts';

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

function readVersion(text: CelValue | undefined, normalize: CelValue | undefined): CelValue {
  try {
    const parse = normalize === true ? parseTolerantSemver : parseSemver;
    return new SemverValue(parse(text as string));
  } catch (error) {
    if (error instanceof SemverError) return new CelError(error.message);
    throw error;
  }
}

const isVersion = (text: CelValue | undefined, normalize?: CelValue): CelValue =>
  readVersion(text, normalize) instanceof SemverValue;
const versionOf = (value: CelValue | undefined): Semver => (value as SemverValue).version;

function compared(name: string, id: string, result: CelType, call: (order: number) => CelValue): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [semverType, semverType], result, (a, b) => call(compareSemver(versionOf(a), versionOf(b)))),
  );
}

function part(name: 'major' | 'minor' | 'patch'): FunctionDeclaration {
  const read = (value?: CelValue): CelValue => normalInt(BigInt.asIntN(64, versionOf(value)[name]));
  return declare(name, memberOverload(`semver_${name}`, [semverType], intType, read));
}

export const semverLibrary: Library = {
  functions: [
    declare(
      'semver',
      globalOverload('string_to_semver', [stringType], semverType, (text) => readVersion(text, false)),
      globalOverload('string_bool_to_semver', [stringType, boolType], semverType, readVersion),
    ),
    declare(
      'isSemver',
      globalOverload('is_semver_string', [stringType], boolType, (text) => isVersion(text)),
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
