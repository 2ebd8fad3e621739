import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateImmutableField,
  validateLabels,
} from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';
import { nodeLabelDeprecation } from '../common/node-selector.ts';
import { schemaOf } from '../common/schema.ts';
import { containerResourceName, validateRequirements } from '../core/container/resource-requirements.ts';
import { validateTolerations } from '../core/pod-spec/scheduling.ts';

const v1: ServedVersion = {
  group: 'node.k8s.io',
  version: 'v1',
  schema: schemaOf('node.v1.RuntimeClass'),
  columns: [
    nameColumn,
    { name: 'Handler', type: 'string', description: '', value: (object) => textIn(object, 'handler') },
    ageColumn,
  ],
};

export const runtimeClass: Resource = {
  names: { plural: 'runtimeclasses', singular: 'runtimeclass', kind: 'RuntimeClass', listKind: 'RuntimeClassList' },
  scope: 'Cluster',
  storagePrefix: '/registry/runtimeclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowUnconditionalUpdate: false,
    warnings: (object) =>
      Object.keys(mapIn(objectIn(object, 'scheduling'), 'nodeSelector')).flatMap((key) => {
        const message = nodeLabelDeprecation(key);
        return message ? [`scheduling.nodeSelector: ${message}`] : [];
      }),
    validateCreate: validateRuntimeClass,
    validateUpdate(object, old, errors) {
      validateRuntimeClass(object, errors);
      validateImmutableField(object.handler, old.handler, path('handler'), errors);
    },
  },
};

const noClaims: ReadonlySet<string> = new Set();

function validateRuntimeClass(object: KubeObject, errors: FieldErrors): void {
  const handler = textIn(object, 'handler');
  if (handler === '') errors.required(path('handler'));
  else report(nameIsDNSLabel(handler, false), path('handler'), handler, errors);
  const overhead = objectIn(object, 'overhead');
  if (overhead)
    validateRequirements(
      { limits: objectIn(overhead, 'podFixed') ?? {} },
      containerResourceName,
      noClaims,
      path('overhead'),
      errors,
    );
  const scheduling = objectIn(object, 'scheduling');
  if (scheduling) validateScheduling(scheduling, errors);
}

function validateScheduling(scheduling: JsonObject, errors: FieldErrors): void {
  const at = path('scheduling', 'tolerations');
  validateLabels(mapIn(scheduling, 'nodeSelector'), path('scheduling', 'nodeSelector'), errors);
  const tolerations = objectsIn(scheduling, 'tolerations');
  validateTolerations(tolerations, at, errors);
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const key = JSON.stringify(['key', 'operator', 'value', 'effect'].map((field) => textIn(toleration, field)));
    if (seen.has(key)) errors.duplicate(at.index(i), internalToleration(toleration));
    seen.add(key);
  }
}

function internalToleration(toleration: JsonObject): JsonObject {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds = null } = toleration;
  return { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds };
}
