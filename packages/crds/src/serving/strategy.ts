import type { ServedVersion, Strategy } from '@tsukube/apiserver';
import {
  apiVersionOf,
  type CompiledSchema,
  deepCopy,
  deepEqual,
  FieldErrors,
  goQuote,
  isObject,
  isQualifiedName,
  type JsonObject,
  path,
  StatusError,
} from '@tsukube/machinery';
import type { DefinedVersion } from '../definition/definition.ts';
import { validateScaleSpec, validateScaleStatus } from './scale.ts';

export interface CustomRules {
  readonly kind: string;
  readonly names: { readonly group: string; readonly resource: string };
  readonly isTerminating: () => boolean;
  readonly defined: DefinedVersion;
  readonly schema: () => CompiledSchema;
}

/** What is wrong with an update and was so before: told, and not held against it. */
const forgiven = new WeakMap<JsonObject, readonly string[]>();

function noteForgiven(object: JsonObject, warnings: readonly string[]): void {
  if (warnings.length > 0) forgiven.set(object, warnings);
}

/** What custom objects have beyond what all objects have. */
export function customStrategy({ kind, names, defined, schema, isTerminating }: CustomRules): Strategy {
  return {
    allowUnconditionalUpdate: false,
    authorizeWrite(object, old) {
      if (old || !isTerminating()) return;
      const { name } = object.metadata as { name?: string };
      throw StatusError.forbidden(names, name ?? '', 'create not allowed while custom resource definition is terminating');
    },
    prepareForCreate(object) {
      if (defined.hasStatus) delete object.status;
      (object.metadata as JsonObject).generation = 1;
    },
    prepareForUpdate(object, old) {
      if (defined.hasStatus) keepStatus(object, old);
      if (isChanged(object, old)) bumpGeneration(object, old);
    },
    validateCreate(object, errors, version, effort) {
      checkTypeMeta(object, kind, version);
      schema().validateValues(object, undefined, errors, effort);
      validateScale(object, defined, errors);
      schema().validateRules(object, undefined, errors, 'object', effort);
    },
    validateUpdate(object, old, errors, version, effort) {
      checkTypeMeta(object, kind, version);
      schema().validateValues(object, old, errors, effort);
      validateScale(object, defined, errors);
      noteForgiven(object, schema().validateRules(object, old, errors, 'object', effort));
    },
    defaultOnRead: (object) => {
      if (defined.defaultsStatus) schema().applyDefaults(object);
    },
    warnings: (object, old) => [...(forgiven.get(object) ?? []), ...finalizerWarnings(object, old)],
    resetFields: defined.hasStatus ? { 'f:status': {} } : {},
  };
}

/** Through its status nothing else of an object changes. */
export function statusStrategy({ kind, defined, schema }: CustomRules): Partial<Strategy> {
  return {
    allowCreateOnUpdate: false,
    warnings: (object) => forgiven.get(object) ?? [],
    resetFields: { 'f:metadata': {}, 'f:spec': {} },
    prepareForUpdate: keepAllButStatus,
    validateUpdate(object, old, errors, version, effort) {
      checkTypeMeta(object, kind, version);
      schema().validateStatusValues(object, old, errors, effort);
      if (defined.scale) validateScaleStatus(object, defined.scale, errors);
      noteForgiven(object, schema().validateRules(object, old, errors, 'status', effort));
    },
  };
}

function keepStatus(object: JsonObject, old: JsonObject): void {
  if (old.status === undefined) delete object.status;
  else object.status = old.status;
}

/** All but the status, and the record of who owns it. */
function keepAllButStatus(object: JsonObject, old: JsonObject): void {
  const { status } = object;
  const { managedFields } = object.metadata as JsonObject;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, deepCopy(old));
  const metadata = object.metadata as JsonObject;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  if (status === undefined) delete object.status;
  else object.status = status;
}

function isChanged(object: JsonObject, old: JsonObject): boolean {
  for (const key of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (key !== 'metadata' && !deepEqual(object[key], old[key])) return true;
  }
  return false;
}

function bumpGeneration(object: JsonObject, old: JsonObject): void {
  const before = isObject(old.metadata) ? Number(old.metadata.generation ?? 0) : 0;
  (object.metadata as JsonObject).generation = before + 1;
}

/** What is of another kind is not looked at any further. */
function checkTypeMeta(object: JsonObject, kind: string, version: ServedVersion): void {
  const expected = apiVersionOf(version);
  if (object.kind === kind && object.apiVersion === expected) return;
  const errors = new FieldErrors();
  if (object.kind !== kind) errors.invalid(path('kind'), object.kind, `must be ${kind}`);
  if (object.apiVersion !== expected) errors.invalid(path('apiVersion'), object.apiVersion, `must be ${expected}`);
  const { name } = object.metadata as { name?: string };
  throw StatusError.invalid({ group: version.group, kind: String(object.kind) }, name ?? '', errors);
}

function validateScale(object: JsonObject, { scale }: DefinedVersion, errors: FieldErrors): void {
  if (!scale) return;
  validateScaleSpec(object, scale, errors);
  validateScaleStatus(object, scale, errors);
}

const standard: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What is said of finalizers that are new and whose names do not tell whose they are. */
export function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const finalizers = finalizersOf(object);
  if (finalizers.length === 0) return [];
  const known = new Set(old ? finalizersOf(old) : []);
  return [...new Set(finalizers)]
    .filter((finalizer) => !known.has(finalizer))
    .sort()
    .flatMap(warningsAbout);
}

function finalizersOf(object: JsonObject): readonly string[] {
  return ((object.metadata as JsonObject).finalizers ?? []) as readonly string[];
}

function warningsAbout(finalizer: string): readonly string[] {
  const said = `metadata.finalizers: ${goQuote(finalizer)}:`;
  const warnings = isQualifiedName(finalizer).map((problem) => `${said} ${problem}`);
  if (finalizer.includes('/') || standard.has(finalizer)) return warnings;
  const how = finalizer.includes('.') ? ' including a path (/)' : '';
  return [
    ...warnings,
    `${said} prefer a domain-qualified finalizer name${how} to avoid accidental conflicts with other finalizer writers`,
  ];
}
