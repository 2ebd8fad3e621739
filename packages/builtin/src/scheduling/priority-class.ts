import { ageColumn, type Column, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type JsonObject,
  type KubeObject,
  metadataOf,
  numberIn,
  path,
  StatusError,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { requireOneOf } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';

const type = 'io.k8s.api.scheduling.v1.PriorityClass';

const columns: readonly Column[] = [
  nameColumn,
  column('Value', { type, field: 'value' }, (object) => numberIn(object, 'value'), { type: 'integer' }),
  column('Global-Default', { type, field: 'globalDefault' }, (object) => object.globalDefault === true, { type: 'boolean' }),
  ageColumn,
  column('PreemptionPolicy', { type, field: 'preemptionPolicy' }, (object) => textIn(object, 'preemptionPolicy')),
];

const v1: ServedVersion = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  schema: schemaOf('scheduling.v1.PriorityClass'),
  columns,
};

const highestUserPriority = 1_000_000_000;
const policies = ['PreemptLowerPriority', 'Never'];
const systemPrefix = 'system-';

/** Created at startup; cannot be deleted. */
const systemPriorityClasses: readonly JsonObject[] = [
  systemClass(
    'system-node-critical',
    2 * highestUserPriority + 1000,
    'Used for system critical pods that must not be moved from their current node.',
  ),
  systemClass(
    'system-cluster-critical',
    2 * highestUserPriority,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
];

function systemClass(name: string, value: number, description: string): JsonObject {
  return {
    kind: 'PriorityClass',
    apiVersion: 'scheduling.k8s.io/v1',
    metadata: { name },
    value,
    description,
    preemptionPolicy: 'PreemptLowerPriority',
  };
}

export const priorityClass: Resource = {
  names: {
    plural: 'priorityclasses',
    singular: 'priorityclass',
    kind: 'PriorityClass',
    listKind: 'PriorityClassList',
    shortNames: ['pc'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/priorityclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  initialObjects: systemPriorityClasses,
  strategy: {
    applyDefaults(object) {
      object.preemptionPolicy ??= 'PreemptLowerPriority';
    },
    prepareForCreate(object) {
      // Set on create and never incremented.
      object.metadata.generation = 1;
    },
    validateCreate: validatePriorityClass,
    validateUpdate(object, old, errors) {
      if (numberIn(object, 'value') !== numberIn(old, 'value'))
        errors.forbidden(path('value'), 'may not be changed in an update.');
      validateImmutableField(object.preemptionPolicy, old.preemptionPolicy, path('preemptionPolicy'), errors);
    },
    beginDelete(object) {
      const { name = '' } = object.metadata;
      if (systemClassNamed(name))
        throw StatusError.forbidden(
          { group: 'scheduling.k8s.io', resource: 'priorityclasses' },
          name,
          'this is a system priority class and cannot be deleted',
        );
      return { kind: 'now' };
    },
  },
};

function systemClassNamed(name: string): JsonObject | undefined {
  return systemPriorityClasses.find((each) => metadataOf(each).name === name);
}

function validatePriorityClass(object: KubeObject, errors: FieldErrors): void {
  const { name = '' } = object.metadata;
  const value = numberIn(object, 'value');
  if (name.startsWith(systemPrefix)) {
    const problem = systemClassProblem(name, value, object.globalDefault === true);
    if (problem)
      errors.forbidden(
        path('metadata', 'name'),
        `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
      );
  } else if (value > highestUserPriority)
    errors.forbidden(path('value'), `maximum allowed value of a user defined priority is ${highestUserPriority}`);
  requireOneOf(textIn(object, 'preemptionPolicy'), policies, path('preemptionPolicy'), errors);
}

function systemClassProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemClassNamed(name);
  if (!known) return `${name} is not a known system priority class`;
  if (value !== known.value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
