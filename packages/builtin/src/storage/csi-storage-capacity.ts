import { plainColumns, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  FieldErrors,
  fieldIsImmutable,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSSubdomain,
  objectIn,
  parseQuantity,
  path,
  textIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { notNegative, report } from '../common/field-validation.ts';
import { deprecatedLabelWarnings, nodeLabelDeprecation } from '../common/node-selector.ts';
import { schemaOf } from '../common/schema.ts';

const v1: ServedVersion = {
  group: 'storage.k8s.io',
  version: 'v1',
  schema: schemaOf('storage.v1.CSIStorageCapacity'),
  columns: plainColumns,
};

export const csiStorageCapacity: Resource = {
  names: {
    plural: 'csistoragecapacities',
    singular: 'csistoragecapacity',
    kind: 'CSIStorageCapacity',
    listKind: 'CSIStorageCapacityList',
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/csistoragecapacities',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowUnconditionalUpdate: false,
    warnings: (object) => topologyWarnings(objectIn(object, 'nodeTopology')),
    validateCreate: (object, errors) => validateCapacity(object, undefined, errors),
    validateUpdate(object, old, errors) {
      validateCapacity(object, old, errors);
      const topology = objectIn(object, 'nodeTopology');
      if (!deepEqual(topology, objectIn(old, 'nodeTopology'))) errors.invalid(topologyPath, topology, fieldIsImmutable);
      const name = textIn(object, 'storageClassName');
      if (name !== textIn(old, 'storageClassName')) errors.invalid(path('storageClassName'), name, fieldIsImmutable);
    },
  },
};

const topologyPath = path('nodeTopology');

function topologyWarnings(topology: JsonObject | undefined): readonly string[] {
  const ofLabels = Object.keys(mapIn(topology, 'matchLabels')).flatMap((key) => {
    const message = nodeLabelDeprecation(key);
    return message ? [`${topologyPath.child('matchLabels', key)}: ${message}`] : [];
  });
  return [...deprecatedLabelWarnings(topology, topologyPath), ...ofLabels];
}

function validateCapacity(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const before = new FieldErrors();
  validateLabelSelector(objectIn(old ?? {}, 'nodeTopology'), topologyPath, before);
  const rules = { allowInvalidValues: before.length > 0 };
  validateLabelSelector(objectIn(object, 'nodeTopology'), topologyPath, errors, rules);
  const name = textIn(object, 'storageClassName');
  report(nameIsDNSSubdomain(name, false), path('storageClassName'), name, errors);
  const { capacity } = object;
  if (typeof capacity === 'string' && parseQuantity(capacity).mantissa < 0n)
    errors.invalid(path('capacity'), capacity, notNegative);
}
