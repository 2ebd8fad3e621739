import { dynType, objectType, stringType } from '../types/type.ts';
import { CelList, CelMap, type CelValue } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, type NameDeclaration, typeNameDeclaration } from './declarations.ts';

const texts = new Set(['op', 'path', 'from']);

/** Other fields exist but have no type, so that no value can be assigned to them. */
const untyped = objectType('', () => undefined);

/** `JSONPatch{op: "add", path: "/spec/x", value: 1}`. */
const jsonPatchType = objectType('JSONPatch', (name) => (texts.has(name) ? stringType : name === 'value' ? dynType : untyped));

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Declarations for the expressions of MutatingAdmissionPolicy. */
export const mutationLibrary: CelLibrary = {
  functions: [
    declare('jsonpatch.escapeKey', globalOverload('string_jsonpatch_escapeKey_string', [stringType], stringType, escapeKey)),
  ],
};

/** `Object`, `Object.spec`, …: types of the object and its fields. Any field may be set. */
export function mutationName(name: string): NameDeclaration | undefined {
  if (name === 'JSONPatch') return typeNameDeclaration(jsonPatchType);
  return isObjectName(name) ? typeNameDeclaration(objectType(name, () => dynType)) : undefined;
}

function isObjectName(name: string): boolean {
  return name === 'Object' || name.startsWith('Object.');
}

/** Checks that constructed types match their path: the value of `spec` must be an `Object.spec`. */
export function objectNameProblems(value: CelValue, path = 'Object'): string[] {
  if (value instanceof CelList && !('raw' in value))
    return Array.from({ length: value.size }, (_, i) => objectNameProblems(value.at(i), path)).flat();
  // Maps from JSON hold no constructed objects.
  if (!(value instanceof CelMap) || 'raw' in value) return [];
  const name = value.type?.name;
  const own = name !== undefined && isObjectName(name);
  const inside = value.keys().flatMap((key) => objectNameProblems(value.find(key) ?? null, own ? `${path}.${key}` : path));
  if (!own || name === path) return inside;
  const problem = `unexpected type name "${name}", expected "${path}", which matches field name path from root Object type`;
  return [problem, ...inside];
}
