import { ageColumn, nameColumn, type Resource, type ServedVersion, setPropagation, storedVerbs } from '@tsukube/apiserver';
import {
  ensureObject,
  type FieldErrors,
  formatTime,
  isQualifiedName,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  objectIn,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { sortedMap, specOf, statusOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Namespace'),
  columns: [
    nameColumn,
    { name: 'Status', type: 'string', description: 'The status of the namespace', value: (object) => phaseOf(object) },
    ageColumn,
  ],
  selectableFields: { 'status.phase': phaseOf, name: (object) => object.metadata.name ?? '' },
};

const { deletecollection: _, ...verbs } = storedVerbs;

const nameLabel = 'kubernetes.io/metadata.name';

/** Deletion has two steps: the phase becomes Terminating, and the object is removed once spec.finalizers is empty. */
export const namespace: Resource = {
  names: { plural: 'namespaces', singular: 'namespace', kind: 'Namespace', listKind: 'NamespaceList', shortNames: ['ns'] },
  scope: 'Cluster',
  storagePrefix: '/registry/namespaces',
  hub: v1,
  versions: [v1],
  verbs,
  subresources: {
    status: {
      verbs: { get: storedVerbs.get, update: storedVerbs.update, patch: storedVerbs.patch },
      strategy: {
        prepareForUpdate(object, old) {
          object.spec = old.spec ?? {};
        },
        validateUpdate: (object, _old, errors) => validatePhase(object, errors),
      },
    },
    finalize: {
      verbs: { update: storedVerbs.update },
      strategy: {
        resetFields: { 'f:status': {} },
        prepareForUpdate(object, old) {
          object.status = old.status ?? {};
        },
        validateUpdate: (object, _old, errors) => validateFinalizers(object, errors),
      },
    },
  },
  initialObjects: ['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { [nameLabel]: name } },
    spec: {},
    status: {},
  })),
  strategy: {
    validateName: nameIsDNSLabel,
    applyDefaults(object) {
      if (object.metadata.name) setNameLabel(object);
      const status = ensureObject(object, 'status');
      status.phase ||= 'Active';
    },
    prepareForCreate(object) {
      object.status = { phase: 'Active' };
      const spec = specOf(object);
      const finalizers = textsIn(spec, 'finalizers');
      if (!finalizers.includes('kubernetes')) spec.finalizers = [...finalizers, 'kubernetes'];
      setNameLabel(object);
    },
    prepareForUpdate(object, old) {
      object.spec = old.spec ?? {};
      object.status = old.status ?? {};
    },
    validateCreate: validateFinalizers,
    uidPrecondition: true,
    beginDelete(object, request) {
      const metadata = object.metadata;
      if (metadata.deletionTimestamp !== undefined)
        return finalizersOf(object).length > 0 ? { kind: 'waiting' } : { kind: 'now' };
      // orphanDependents=false means foreground deletion for namespaces.
      const { orphanDependents } = request;
      setPropagation(metadata, orphanDependents === false ? { propagationPolicy: 'Foreground' } : request, 'delete');
      metadata.deletionTimestamp = formatTime(Date.now());
      object.status = { ...statusOf(object), phase: 'Terminating' };
      return { kind: 'marked' };
    },
    mayRemove: (object) => finalizersOf(object).length === 0,
  },
};

function phaseOf(object: KubeObject): string {
  return textIn(objectIn(object, 'status'), 'phase');
}

function finalizersOf(object: KubeObject): readonly string[] {
  return textsIn(objectIn(object, 'spec'), 'finalizers');
}

/** Lets namespace selectors select a namespace by name. */
function setNameLabel(object: KubeObject): void {
  const metadata = object.metadata;
  const labels = new Map(Object.entries(mapIn(metadata, 'labels')));
  labels.set(nameLabel, textIn(metadata, 'name'));
  metadata.labels = sortedMap(labels);
}

function validateFinalizers(object: KubeObject, errors: FieldErrors): void {
  for (const [i, finalizer] of finalizersOf(object).entries()) {
    const at = path('spec', 'finalizers').index(i);
    const problems = isQualifiedName(finalizer);
    for (const problem of problems) errors.invalid(at, finalizer, problem);
    if (problems.length === 0 && !finalizer.includes('/') && finalizer !== 'kubernetes') {
      errors.invalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified');
    }
  }
}

function validatePhase(object: KubeObject, errors: FieldErrors): void {
  const at = path('status', 'Phase');
  const deleting = object.metadata.deletionTimestamp !== undefined;
  if (!deleting && phaseOf(object) !== 'Active')
    errors.invalid(at, phaseOf(object), "may only be 'Active' if `deletionTimestamp` is empty");
  if (deleting && phaseOf(object) !== 'Terminating') {
    errors.invalid(at, phaseOf(object), "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}
