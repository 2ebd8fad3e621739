import {
  ageColumn,
  type Column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  FieldErrors,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  validateLabelSelector,
} from '@tsukube/machinery';
import { validateIntOrPercent, validateNotMoreThan100Percent } from '../apps/workload-validation.ts';
import { validateConditions } from '../common/conditions.ts';
import { validateEnum, validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';

const columns: readonly Column[] = [
  nameColumn,
  {
    name: 'Min Available',
    type: 'string',
    description: 'The minimum number of pods that must be available.',
    value: (object) => String(specOf(object).minAvailable ?? 'N/A'),
  },
  {
    name: 'Max Unavailable',
    type: 'string',
    description: 'The maximum number of pods that may be unavailable.',
    value: (object) => String(specOf(object).maxUnavailable ?? 'N/A'),
  },
  {
    name: 'Allowed Disruptions',
    type: 'integer',
    description: 'Calculated number of pods that may be disrupted at this time.',
    value: (object) => numberIn(objectIn(object, 'status'), 'disruptionsAllowed'),
  },
  ageColumn,
];

const v1: ServedVersion = { group: 'policy', version: 'v1', schema: schemaOf('policy.v1.PodDisruptionBudget'), columns };

export const podDisruptionBudget: Resource = {
  names: {
    plural: 'poddisruptionbudgets',
    singular: 'poddisruptionbudget',
    kind: 'PodDisruptionBudget',
    listKind: 'PodDisruptionBudgetList',
    shortNames: ['pdb'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/poddisruptionbudgets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource((object, _old, errors) => validateBudgetStatus(object, errors)) },
  strategy: {
    generation: true,
    allowUnconditionalUpdate: false,
    prepareForCreate(object) {
      object.status = zeroValue('policy.v1.PodDisruptionBudgetStatus');
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateBudget(object, undefined, errors),
    validateUpdate: validateBudget,
  },
};

const specPath = path('spec');
const evictionPolicies = ['AlwaysAllow', 'IfHealthyBudget'];
const statusNumbers = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

function validateBudget(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = specOf(object);
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.invalid(specPath, internalSpec(spec), 'minAvailable and maxUnavailable cannot be both set');
  for (const field of ['minAvailable', 'maxUnavailable']) {
    if (spec[field] === undefined) continue;
    validateIntOrPercent(spec[field], specPath.child(field), errors);
    validateNotMoreThan100Percent(spec[field], specPath.child(field), errors);
  }
  const before = new FieldErrors();
  validateLabelSelector(objectIn(old && specOf(old), 'selector'), specPath, before);
  const rules = { allowInvalidValues: before.length > 0 };
  validateLabelSelector(objectIn(spec, 'selector'), specPath.child('selector'), errors, rules);
  validateEnum(policy, evictionPolicies, specPath.child('unhealthyPodEvictionPolicy'), errors);
}

function internalSpec(spec: JsonObject): JsonObject {
  const { minAvailable = null, selector = null, maxUnavailable = null, unhealthyPodEvictionPolicy = null } = spec;
  return {
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  };
}

function validateBudgetStatus(object: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  validateConditions(objectsIn(status, 'conditions'), path('status', 'conditions'), errors);
  validateNonNegative(status, statusNumbers, path('status'), errors);
}
