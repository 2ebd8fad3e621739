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
  metadataOf,
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

/** The strategy of custom resources. Violations that ratcheting tolerates become warnings. */
export function customStrategy({ kind, names, defined, schema, isTerminating }: CustomRules): Strategy {
  return {
    allowUnconditionalUpdate: false,
    authorizeWrite(object, old) {
      if (old || !isTerminating()) return;
      const { name = '' } = metadataOf(object);
      throw StatusError.forbidden(names, name, 'create not allowed while custom resource definition is terminating');
    },
    prepareForCreate(object) {
      if (defined.hasStatus) delete object.status;
      metadataOf(object).generation = 1;
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
    validateUpdate(object, old, errors, version, effort, warn) {
      checkTypeMeta(object, kind, version);
      schema().validateValues(object, old, errors, effort);
      validateScale(object, defined, errors);
      const tolerated = schema().validateRules(object, old, errors, 'object', effort);
      if (errors.length === 0) for (const violation of tolerated) warn?.(violation);
    },
    defaultOnRead: (object) => {
      if (defined.defaultsStatus) schema().applyDefaults(object);
    },
    warnings: finalizerWarnings,
    resetFields: defined.hasStatus ? { 'f:status': {} } : {},
  };
}

/** The strategy of the status subresource: only the status changes. */
export function statusStrategy({ kind, defined, schema }: CustomRules): Partial<Strategy> {
  return {
    allowCreateOnUpdate: false,
    warnings: () => [],
    resetFields: { 'f:metadata': {}, 'f:spec': {} },
    prepareForUpdate: keepAllButStatus,
    validateUpdate(object, old, errors, version, effort, warn) {
      checkTypeMeta(object, kind, version);
      schema().validateStatusValues(object, old, errors, effort);
      if (defined.scale) validateScaleStatus(object, defined.scale, errors);
      const tolerated = schema().validateRules(object, old, errors, 'status', effort);
      if (errors.length === 0) for (const violation of tolerated) warn?.(violation);
    },
  };
}

function keepStatus(object: JsonObject, old: JsonObject): void {
  if (old.status === undefined) delete object.status;
  else object.status = old.status;
}

/** Restores everything but the status and managedFields. */
function keepAllButStatus(object: JsonObject, old: JsonObject): void {
  const { status } = object;
  const { managedFields } = metadataOf(object);
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, deepCopy(old));
  const metadata = metadataOf(object);
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
  metadataOf(object).generation = before + 1;
}

/** Throws 422 if kind or apiVersion differ; nothing else is validated then. */
function checkTypeMeta(object: JsonObject, kind: string, version: ServedVersion): void {
  const expected = apiVersionOf(version);
  if (object.kind === kind && object.apiVersion === expected) return;
  const errors = new FieldErrors();
  if (object.kind !== kind) errors.invalid(path('kind'), object.kind, `must be ${kind}`);
  if (object.apiVersion !== expected) errors.invalid(path('apiVersion'), object.apiVersion, `must be ${expected}`);
  const { name = '' } = metadataOf(object);
  throw StatusError.invalid({ group: version.group, kind: String(object.kind) }, name, errors);
}

function validateScale(object: JsonObject, { scale }: DefinedVersion, errors: FieldErrors): void {
  if (!scale) return;
  validateScaleSpec(object, scale, errors);
  validateScaleStatus(object, scale, errors);
}

const standard: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Warns of new finalizers that are not domain-qualified. */
function finalizerWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const finalizers = finalizersOf(object);
  if (finalizers.length === 0) return [];
  const known = new Set(old ? finalizersOf(old) : []);
  return [...new Set(finalizers)]
    .filter((finalizer) => !known.has(finalizer))
    .sort()
    .flatMap(warningsAbout);
}

function finalizersOf(object: JsonObject): readonly string[] {
  return metadataOf(object).finalizers ?? [];
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
