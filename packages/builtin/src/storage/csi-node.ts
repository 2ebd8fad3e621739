import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  fieldIsImmutable,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { report, validateNonNegative } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';
import { validateDriverName } from '../core/volume/volume-sources.ts';

const v1: ServedVersion = {
  group: 'storage.k8s.io',
  version: 'v1',
  schema: schemaOf('storage.v1.CSINode'),
  columns: [
    nameColumn,
    {
      name: 'Drivers',
      type: 'integer',
      description: 'Drivers indicates the number of CSI drivers registered on the node',
      value: (object) => driversOf(object).length,
    },
    ageColumn,
  ],
};

export const csiNode: Resource = {
  names: { plural: 'csinodes', singular: 'csinode', kind: 'CSINode', listKind: 'CSINodeList' },
  scope: 'Cluster',
  storagePrefix: '/registry/csinodes',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    allowUnconditionalUpdate: false,
    validateCreate: validateDrivers,
    validateUpdate(object, old, errors) {
      validateDrivers(object, errors);
      for (const before of driversOf(old)) {
        for (const driver of driversOf(object)) {
          if (driver.name !== before.name || deepEqual(withoutAllocatable(driver), withoutAllocatable(before))) continue;
          errors.invalid(path('spec', 'drivers'), internalDriver(driver), fieldIsImmutable);
        }
      }
    },
  },
};

function driversOf(object: KubeObject): readonly JsonObject[] {
  return objectsIn(objectIn(object, 'spec'), 'drivers');
}

/** allocatable is mutable, everything else of a driver is not. */
function withoutAllocatable({ allocatable: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function internalDriver({ name = '', nodeID = '', topologyKeys = null }: JsonObject): JsonObject {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys, Allocatable: null };
}

function validateDrivers(object: KubeObject, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, driver] of driversOf(object).entries()) {
    const at = path('spec', 'drivers').index(i);
    const name = textIn(driver, 'name');
    validateDriverName(name, at.child('name'), errors);
    validateNodeId(textIn(driver, 'nodeID'), at.child('nodeID'), errors);
    validateNonNegative(objectIn(driver, 'allocatable') ?? {}, ['count'], at.child('allocatable'), errors);
    if (names.has(name)) errors.duplicate(at.child('name'), name);
    names.add(name);
    validateTopologyKeys(textsIn(driver, 'topologyKeys'), at, errors);
  }
}

const maxNodeId = 256;

function validateNodeId(id: string, at: FieldPath, errors: FieldErrors): void {
  if (id === '') errors.required(at);
  if (Buffer.byteLength(id) > maxNodeId) errors.invalid(at, id, `must be ${maxNodeId} characters or less`);
}

function validateTopologyKeys(keys: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const key of keys) {
    if (key === '') errors.required(at);
    if (seen.has(key)) errors.duplicate(at, key);
    seen.add(key);
    report(isQualifiedName(key), at, key, errors);
  }
}
