import {
  type FieldErrors,
  type FieldPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  type JsonObject,
  metadataOf,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { validateApproval } from './approval.ts';
import { isCaBundle, validateConversion } from './conversion.ts';
import { hasDefaults, hasExtensions, ratchetingOptions, type ValidationOptions } from './ratcheting.ts';
import { schemaIn } from './shared-fields.ts';
import { validateShared, validateVersions } from './versions.ts';

const specPath = path('spec');
const storedPath = path('status', 'storedVersions');
const scopes = ['Cluster', 'Namespaced'];

/** `legacy`: the request was in v1beta1, which is validated less strictly. */
export function validateDefinition(object: JsonObject, old: JsonObject | undefined, legacy: boolean, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const options = optionsFor(spec, objectIn(old, 'spec'), legacy);
  const names = objectIn(spec, 'names') ?? {};
  if (!old) validateName(textIn(metadataOf(object), 'name'), `${textIn(names, 'plural')}.${textIn(spec, 'group')}`, errors);
  validateGroup(textIn(spec, 'group'), errors);
  validateScope(textIn(spec, 'scope'), errors);
  validateSchemasPresent(spec, options, errors);
  validateVersions(spec, specPath, options, errors);
  validateNamesPresent(names, specPath.child('names'), errors);
  validateNames(names, specPath.child('names'), errors);
  validateShared(spec, specPath, options, errors);
  const conversion = objectIn(spec, 'conversion') ?? {};
  if (spec.preserveUnknownFields === true && conversion.strategy !== 'None')
    errors.invalid(
      specPath.child('conversion', 'strategy'),
      textIn(conversion, 'strategy'),
      'must be None if spec.preserveUnknownFields is true',
    );
  validateConversion(conversion, objectIn(objectIn(old, 'spec'), 'conversion'), requiresBundle(old), errors);
  if (old) validateImmutableFields(object, old, errors);
  validateDefinitionStatus(object, errors);
  validateStoredVersions(textsIn(objectIn(object, 'status'), 'storedVersions'), objectsIn(spec, 'versions'), errors);
  if (legacy) return;
  validateApproval(object, old, errors);
  if (spec.preserveUnknownFields === true && objectIn(old, 'spec')?.preserveUnknownFields !== true)
    errors.invalid(
      specPath.child('preserveUnknownFields'),
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
}

/** Features that need a structural schema require one, even of an old definition without. */
function optionsFor(spec: JsonObject, old: JsonObject | undefined, legacy: boolean): ValidationOptions {
  const options = ratchetingOptions(spec, old, legacy);
  const requireStructuralSchema = spec.preserveUnknownFields !== true || hasDefaults(spec) || hasExtensions(spec);
  return requireStructuralSchema ? { ...options, requireStructuralSchema } : options;
}

function validateSchemasPresent(spec: JsonObject, options: ValidationOptions, errors: FieldErrors): void {
  const prunes = spec.preserveUnknownFields !== true;
  for (const [i, version] of objectsIn(spec, 'versions').entries()) {
    if (schemaIn(version) !== undefined) continue;
    const at = specPath.child('versions').index(i).child('schema', 'openAPIV3Schema');
    if (options.requireOpenAPISchema) errors.required(at);
    else if (prunes && version.served === true) errors.required(at, 'because otherwise all fields are pruned');
  }
  if (!prunes && hasDefaults(spec))
    errors.invalid(specPath.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema');
}

export function validateDefinitionStatus(object: JsonObject, errors: FieldErrors): void {
  const accepted = objectIn(objectIn(object, 'status'), 'acceptedNames');
  if (accepted) validateNames(accepted, path('status', 'acceptedNames'), errors);
}

function validateName(name: string, expected: string, errors: FieldErrors): void {
  if (name !== '' && name !== expected)
    errors.invalid(path('metadata', 'name'), name, 'must be spec.names.plural+"."+spec.group');
}

function validateGroup(group: string, errors: FieldErrors): void {
  const at = specPath.child('group');
  const problems = group === '' ? [] : isDNS1123Subdomain(group);
  if (group === '') errors.required(at);
  else if (problems.length > 0) errors.invalid(at, group, problems.join(','));
  else if (!group.includes('.')) errors.invalid(at, group, 'should be a domain with at least one dot');
}

function validateScope(scope: string, errors: FieldErrors): void {
  if (scope === '') errors.required(specPath.child('scope'));
  else if (!scopes.includes(scope)) errors.notSupported(specPath.child('scope'), scope, scopes);
}

/** Scope and kind are immutable once the definition is established, group and plural always. */
function validateImmutableFields(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const [spec, before] = [objectIn(object, 'spec') ?? {}, objectIn(old, 'spec') ?? {}];
  const [names, namesBefore] = [objectIn(spec, 'names') ?? {}, objectIn(before, 'names') ?? {}];
  const namesPath = specPath.child('names');
  if (isEstablished(old)) {
    validateImmutableField(spec.scope, before.scope, specPath.child('scope'), errors);
    validateImmutableField(names.kind, namesBefore.kind, namesPath.child('kind'), errors);
  }
  validateImmutableField(spec.group, before.group, specPath.child('group'), errors);
  validateImmutableField(names.plural, namesBefore.plural, namesPath.child('plural'), errors);
}

/** Ratcheting: the CA bundle may be invalid before the definition is established, or if it already was. */
function requiresBundle(old: JsonObject | undefined): boolean {
  if (old === undefined || !isEstablished(old)) return false;
  const webhook = objectIn(objectIn(objectIn(old, 'spec'), 'conversion'), 'webhook');
  const bundle = textIn(objectIn(webhook, 'clientConfig'), 'caBundle');
  return bundle === '' || isCaBundle(bundle);
}

function isEstablished(object: JsonObject): boolean {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

function validateStoredVersions(stored: readonly string[], versions: readonly JsonObject[], errors: FieldErrors): void {
  if (stored.length === 0) {
    errors.invalid(storedPath, null, 'must have at least one stored version');
    return;
  }
  const names = new Set(versions.map((version) => textIn(version, 'name')));
  const [known, shownStored] = [new Set(stored), [...stored]];
  for (const version of versions) {
    const name = textIn(version, 'name');
    if (version.storage === true && !known.has(name))
      errors.invalid(storedPath, shownStored, `must have the storage version ${name}`);
  }
  for (const [i, name] of stored.entries())
    if (!names.has(name))
      errors.invalid(
        storedPath.index(i),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
}

function validateNamesPresent(names: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'])
    if (textIn(names, field) === '') errors.required(at.child(field));
}

function validateNames(names: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['plural', 'singular']) validateLabel(textIn(names, field), at.child(field), errors);
  for (const field of ['kind', 'listKind']) validateKind(textIn(names, field), at.child(field), errors);
  validateLabels(names, 'shortNames', at, errors);
  const kind = textIn(names, 'kind');
  if (kind !== '' && kind === textIn(names, 'listKind'))
    errors.invalid(at.child('listKind'), kind, 'kind and listKind may not be the same');
  validateLabels(names, 'categories', at, errors);
}

function validateLabels(names: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  for (const [i, value] of textsIn(names, field).entries()) {
    const problems = isDNS1035Label(value);
    if (problems.length > 0) errors.invalid(at.child(field).index(i), value, problems.join(','));
  }
}

function validateLabel(value: string, at: FieldPath, errors: FieldErrors): void {
  const problems = value === '' ? [] : isDNS1035Label(value);
  if (problems.length > 0) errors.invalid(at, value, problems.join(','));
}

function validateKind(value: string, at: FieldPath, errors: FieldErrors): void {
  const problems = value === '' ? [] : isDNS1035Label(value.toLowerCase());
  if (problems.length > 0) errors.invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`);
}
