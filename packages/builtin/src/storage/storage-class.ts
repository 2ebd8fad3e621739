import { ageColumn, type Column, column, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  validateImmutableField,
  validateLabelName,
} from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';
import { nodeLabelDeprecation } from '../common/node-selector.ts';
import { schemaOf } from '../common/schema.ts';

const type = 'io.k8s.api.storage.v1.StorageClass';

const columns: readonly Column[] = [
  column('Name', { type: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'name' }, nameCell, { format: 'name' }),
  column('Provisioner', { type, field: 'provisioner' }, (object) => textIn(object, 'provisioner')),
  column('ReclaimPolicy', { type, field: 'reclaimPolicy' }, (object) => textIn(object, 'reclaimPolicy') || 'Delete'),
  column(
    'VolumeBindingMode',
    { type, field: 'volumeBindingMode' },
    (object) => textIn(object, 'volumeBindingMode') || 'Immediate',
  ),
  column('AllowVolumeExpansion', { type, field: 'allowVolumeExpansion' }, (object) => object.allowVolumeExpansion === true),
  ageColumn,
];

const v1: ServedVersion = { group: 'storage.k8s.io', version: 'v1', schema: schemaOf('storage.v1.StorageClass'), columns };

export const storageClass: Resource = {
  names: {
    plural: 'storageclasses',
    singular: 'storageclass',
    kind: 'StorageClass',
    listKind: 'StorageClassList',
    shortNames: ['sc'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/storageclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    applyDefaults(object) {
      object.reclaimPolicy ??= 'Delete';
      object.volumeBindingMode ??= 'Immediate';
    },
    warnings: topologyWarnings,
    validateCreate: validateStorageClass,
    validateUpdate(object, old, errors) {
      validateStorageClass(object, errors);
      for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'])
        validateImmutableField(object[field], old[field], path(field), errors);
    },
  },
};

const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

function nameCell(object: KubeObject): string {
  const annotations = mapIn(object.metadata, 'annotations');
  const isDefault = defaultAnnotations.some((key) => annotations[key] === 'true');
  return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
}

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

function validateStorageClass(object: KubeObject, errors: FieldErrors): void {
  validateProvisioner(textIn(object, 'provisioner'), path('provisioner'), errors);
  validateParameters(object, path('parameters'), errors);
  const policy = textIn(object, 'reclaimPolicy');
  if (policy !== '' && !reclaimPolicies.includes(policy)) errors.notSupported(path('reclaimPolicy'), policy, reclaimPolicies);
  const mode = textIn(object, 'volumeBindingMode');
  if (!bindingModes.includes(mode)) errors.notSupported(path('volumeBindingMode'), mode, bindingModes);
  validateTopologies(objectsIn(object, 'allowedTopologies'), path('allowedTopologies'), errors);
}

function topologyWarnings(object: KubeObject): readonly string[] {
  return objectsIn(object, 'allowedTopologies').flatMap((topology, i) =>
    objectsIn(topology, 'matchLabelExpressions').flatMap((expression, j) => {
      const message = nodeLabelDeprecation(textIn(expression, 'key'));
      return message ? [`allowedTopologies[${i}].matchLabelExpressions[${j}].key: ${message}`] : [];
    }),
  );
}

function validateTopologies(topologies: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  // Kubernetes reports an empty term as a duplicate of every term.
  const seen = new Map<string, number>([['[]', topologies.length]]);
  for (const [i, topology] of topologies.entries()) {
    const here = at.index(i).child('matchLabelExpressions');
    const term = validateTerm(objectsIn(topology, 'matchLabelExpressions'), here, errors);
    const count = seen.get(term) ?? 0;
    for (let repeat = 0; repeat < count && !errors.full; repeat++) errors.duplicate(here, '');
    seen.set(term, count + 1);
  }
}

/** Returns a canonical form of the term, to find duplicates. */
function validateTerm(expressions: readonly JsonObject[], at: FieldPath, errors: FieldErrors): string {
  const term = new Map<string, string[]>();
  for (const [i, expression] of expressions.entries()) {
    const key = textIn(expression, 'key');
    const values = textsIn(expression, 'values');
    if (values.length === 0) errors.required(at.index(i).child('values'));
    const seen = new Set<string>();
    for (const [j, value] of values.entries())
      if (seen.size === seen.add(value).size) errors.duplicate(at.index(i).child('values').index(j), value);
    validateLabelName(key, at.index(i).child('key'), errors);
    if (term.has(key)) errors.duplicate(at.index(i).child('key'), key);
    term.set(key, [...seen].sort());
  }
  return JSON.stringify([...term].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const maxParameters = 512;
const maxBytes = 256 << 10;

/** A qualified name, in any case. */
export function validateProvisioner(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name === '') errors.required(at);
  else report(isQualifiedName(name.toLowerCase()), at, name.toLowerCase(), errors);
}

export function validateParameters(object: KubeObject, at: FieldPath, errors: FieldErrors): void {
  const entries = Object.entries(mapIn(object, 'parameters'));
  if (entries.length > maxParameters) {
    errors.tooLong(at, maxParameters);
    return;
  }
  if (entries.some(([key]) => key === '')) errors.invalid(at, '', 'field can not be empty.');
  if (parameterBytes(entries) > maxBytes) errors.tooLong(at, maxBytes);
}

export function parameterBytes(entries: readonly (readonly [string, string])[]): number {
  return entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
}
