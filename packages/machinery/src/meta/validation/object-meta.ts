import type { FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path as rootPath } from '../../errors/field-path.ts';
import { integerIn, listIn, mapIn, textIn } from '../../json/fields.ts';
import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goStringSlice } from '../../text/go-quote.ts';
import { parseApiVersion } from '../group.ts';
import { isQualifiedName, validateAnnotations, validateLabels } from './labels.ts';
import { validateManagedFields } from './managed-fields.ts';
import { type NameValidator, nameIsDNSLabel } from './names.ts';

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly validateName: NameValidator;
  /** The path of the metadata; default `metadata`. */
  readonly path?: FieldPath;
}

const metadataPath = rootPath('metadata');

/** Validates metadata on create, after generateName was applied. */
export function validateObjectMeta(meta: JsonObject, rules: ObjectMetaRules, errors: FieldErrors): void {
  const path = rules.path ?? metadataPath;
  validateName(meta, rules.validateName, path, errors);
  validateNamespace(textIn(meta, 'namespace'), rules.namespaced, path, errors);
  const generation = integerIn(meta, 'generation');
  if (generation < 0) errors.invalid(path.child('generation'), generation, 'must be greater than or equal to 0');
  validateLabels(mapIn(meta, 'labels'), path.child('labels'), errors);
  validateAnnotations(mapIn(meta, 'annotations'), path.child('annotations'), errors);
  validateOwnerReferences(listIn(meta, 'ownerReferences'), path.child('ownerReferences'), errors);
  validateFinalizers(listIn(meta, 'finalizers'), path.child('finalizers'), errors);
  validateManagedFields(listIn(meta, 'managedFields'), path.child('managedFields'), errors);
}

function validateName(meta: JsonObject, validateName: NameValidator, path: FieldPath, errors: FieldErrors): void {
  const prefix = textIn(meta, 'generateName');
  if (prefix !== '')
    for (const message of validateName(prefix, true)) errors.invalid(path.child('generateName'), prefix, message);
  const name = textIn(meta, 'name');
  if (name === '') {
    errors.required(path.child('name'), 'name or generateName is required');
    return;
  }
  for (const message of validateName(name, false)) errors.invalid(path.child('name'), name, message);
}

function validateNamespace(namespace: string, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('namespace');
  if (!namespaced) {
    if (namespace !== '') errors.forbidden(at, 'not allowed on this type');
  } else if (namespace === '') {
    errors.required(at);
  } else {
    for (const message of nameIsDNSLabel(namespace, false)) errors.invalid(at, namespace, message);
  }
}

export const fieldIsImmutable = 'field is immutable';
/** Immutable fields with their zero values. */
const immutable: readonly (readonly [name: string, absent: JsonValue])[] = [
  ['name', ''],
  ['namespace', ''],
  ['uid', ''],
  ['creationTimestamp', null],
  ['deletionTimestamp', null],
  ['deletionGracePeriodSeconds', null],
];

/** Validates metadata on update against the old metadata. */
export function validateObjectMetaUpdate(
  meta: JsonObject,
  old: JsonObject,
  errors: FieldErrors,
  path: FieldPath = metadataPath,
): void {
  if ((old.deletionTimestamp ?? null) !== null) {
    validateNoNewFinalizers(listIn(meta, 'finalizers'), listIn(old, 'finalizers'), path.child('finalizers'), errors);
  }
  if (textIn(meta, 'resourceVersion') === '') {
    errors.invalid(path.child('resourceVersion'), '', 'must be specified for an update');
  }
  const generation = integerIn(meta, 'generation');
  if (generation < integerIn(old, 'generation')) errors.invalid(path.child('generation'), generation, 'must not be decremented');
  for (const [name, absent] of immutable) {
    validateImmutableField(meta[name] ?? absent, old[name] ?? absent, () => path.child(name), errors);
  }
  validateLabels(mapIn(meta, 'labels'), path.child('labels'), errors);
  validateAnnotations(mapIn(meta, 'annotations'), path.child('annotations'), errors);
  validateOwnerReferences(listIn(meta, 'ownerReferences'), path.child('ownerReferences'), errors);
  validateManagedFields(listIn(meta, 'managedFields'), path.child('managedFields'), errors);
}

/** The path may be a function, which is called only on error. */
export function validateImmutableField(
  value: JsonValue | undefined,
  old: JsonValue | undefined,
  path: FieldPath | (() => FieldPath),
  errors: FieldErrors,
): void {
  if (deepEqual(value ?? null, old ?? null)) return;
  errors.invalid(typeof path === 'function' ? path() : path, value, fieldIsImmutable);
}

const orphan = 'orphan';
const foreground = 'foregroundDeletion';

function validateFinalizers(finalizers: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  for (const finalizer of finalizers) {
    for (const message of isQualifiedName(String(finalizer))) errors.invalid(path, finalizer, message);
  }
  if (finalizers.includes(orphan) && finalizers.includes(foreground)) {
    errors.invalid(path, [...finalizers], `finalizer ${orphan} and ${foreground} cannot be both set`);
  }
}

const standard: ReadonlySet<JsonValue> = new Set([orphan, foreground, 'kubernetes']);

/** Finalizers of built-in kinds must be standard names or have a domain prefix. */
export function validateQualifiedFinalizers(finalizers: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  for (const [i, finalizer] of finalizers.entries()) {
    if (String(finalizer).includes('/') || standard.has(finalizer)) continue;
    errors.invalid(path.index(i), finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
  }
}

/** An object that is being deleted takes no new finalizers. */
function validateNoNewFinalizers(
  finalizers: readonly JsonValue[],
  old: readonly JsonValue[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  const known = new Set(old);
  const added = [...new Set(finalizers.filter((finalizer) => !known.has(finalizer)).map(String))].sort();
  if (added.length === 0) return;
  const found = goStringSlice(added);
  errors.forbidden(path, `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`);
}

/** Limit of errors for a second controller: each shows all references. */
const maxControllerErrors = 10;

function validateOwnerReferences(references: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  let controller: string | undefined;
  let controllerErrors = 0;
  for (const reference of references) {
    if (!isObject(reference)) continue;
    validateOwnerReference(reference, path, errors);
    if (reference.controller !== true) continue;
    const name = `${textIn(reference, 'kind')}/${textIn(reference, 'name')}`;
    if (controller === undefined) controller = name;
    else if (controllerErrors++ < maxControllerErrors) errors.invalid(path, [...references], onlyOneController(controller, name));
  }
}

function validateOwnerReference(reference: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const apiVersion = textIn(reference, 'apiVersion');
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  if (version === '') errors.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty');
  for (const member of ['kind', 'name', 'uid']) {
    if (textIn(reference, member) === '') errors.invalid(path.child(member), '', 'must not be empty');
  }
  if (group === '' && version === 'v1' && reference.kind === 'Event') {
    errors.invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner');
  }
}

function onlyOneController(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}
