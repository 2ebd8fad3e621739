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
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  fieldIsImmutable,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { roundResources, validateResourceName, validateResourceQuantity } from './container/resource-requirements.ts';

const columns: readonly Column[] = [
  nameColumn,
  {
    name: 'Request',
    type: 'string',
    description: 'Request represents a minimum amount of cpu/memory that a container may consume.',
    value: (object) => usageCell(object, false),
  },
  {
    name: 'Limit',
    type: 'string',
    description:
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
    value: (object) => usageCell(object, true),
  },
  ageColumn,
];

const v1: ServedVersion = { group: '', version: 'v1', schema: schemaOf('core.v1.ResourceQuota'), columns };

export const resourceQuota: Resource = {
  names: {
    plural: 'resourcequotas',
    singular: 'resourcequota',
    kind: 'ResourceQuota',
    listKind: 'ResourceQuotaList',
    shortNames: ['quota'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/resourcequotas',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource((object, _old, errors) => validateQuotaStatus(object, errors)) },
  strategy: {
    returnDeletedObject: true,
    applyDefaults(object) {
      roundResources(objectIn(objectIn(object, 'spec'), 'hard'));
      for (const field of ['hard', 'used']) roundResources(objectIn(objectIn(object, 'status'), field));
    },
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: validateQuotaSpec,
    validateUpdate: validateQuotaUpdate,
    warnings: (object, old) => (old ? [] : requestQuotaWarnings(mapIn(objectIn(object, 'spec'), 'hard'))),
  },
};

function usageCell(object: KubeObject, limits: boolean): string {
  const status = objectIn(object, 'status');
  const [hard, used] = [mapIn(status, 'hard'), mapIn(status, 'used')];
  const names = Object.keys(hard).filter((name) => name.startsWith('limits.') === limits);
  return names
    .sort()
    .map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : '0'}/${hard[name]}`)
    .join(', ');
}

/** Warnings for request quotas above the limit quota of the same resource. */
function requestQuotaWarnings(hard: Readonly<Record<string, string>>): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const bare = (name === 'cpu' || name === 'memory') && hard[`requests.${name}`] === undefined;
    const requestName = bare ? name : `requests.${name}`;
    const [request, limit] = [hard[requestName], hard[`limits.${name}`]];
    if (request === undefined || limit === undefined) return [];
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
    return [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`];
  });
}

const computeQuota = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const quotaNames = new Set([
  ...computeQuota,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);

function isQuotaName(name: string): boolean {
  return quotaNames.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
}

const podScoped = ['pods', ...computeQuota];
/** Resources that a quota of each scope may limit. */
const scopes = new Map<string, readonly string[]>([
  ['Terminating', podScoped],
  ['NotTerminating', podScoped],
  ['NotBestEffort', podScoped],
  ['PriorityClass', podScoped],
  ['CrossNamespacePodAffinity', podScoped],
  ['BestEffort', ['pods']],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
]);
const existOnly = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const contradictions = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

function validateQuotaSpec(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateQuotaList(mapIn(spec, 'hard'), path('spec', 'hard'), errors);
  validateScopes(spec, errors);
  if (objectIn(spec, 'scopeSelector')) validateScopeSelector(spec, errors);
}

function validateQuotaStatus(object: KubeObject, errors: FieldErrors): void {
  for (const field of ['hard', 'used'])
    validateQuotaList(mapIn(objectIn(object, 'status'), field), path('status', field), errors);
}

export function validateQuotaUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateQuotaSpec(object, errors);
  const [now, before] = [object, old].map((quota) => textsIn(objectIn(quota, 'spec'), 'scopes'));
  const [scopes, oldScopes] = [new Set(now), new Set(before)];
  const same = scopes.size === oldScopes.size && [...scopes].every((scope) => oldScopes.has(scope));
  if (!same) errors.invalid(path('spec', 'scopes'), [...(now ?? [])], fieldIsImmutable);
}

function validateQuotaList(list: Readonly<Record<string, string>>, at: FieldPath, errors: FieldErrors): void {
  for (const [name, amount] of Object.entries(list)) {
    validateResourceName(name, at.key(name), errors);
    if (!name.includes('/') && !isQuotaName(name)) errors.invalid(at.key(name), name, 'must be a standard resource for quota');
    validateResourceQuantity(name, amount, at.key(name), errors);
  }
}

/** Counts the resources of a quota that a scope does not apply to, once per scope. */
function countMismatches(spec: JsonObject): (scope: string) => number {
  const names = Object.keys(mapIn(spec, 'hard')).filter(isQuotaName);
  const counted = new Map<string, number>();
  return (scope) => {
    const fitting = scopes.get(scope);
    if (!fitting) return 0;
    const count = counted.get(scope) ?? names.filter((name) => !fitting.includes(name)).length;
    counted.set(scope, count);
    return count;
  };
}

function validateScopes(spec: JsonObject, errors: FieldErrors): void {
  const at = path('spec', 'scopes');
  const given = textsIn(spec, 'scopes');
  const [value, mismatches] = [[...given], countMismatches(spec)];
  for (const scope of given) {
    if (!scopes.has(scope)) errors.invalid(at, value, 'unsupported scope');
    for (let i = 0; i < mismatches(scope) && !errors.full; i++)
      errors.invalid(at, value, 'unsupported scope applied to resource');
  }
  for (const pair of contradictions)
    if (pair.every((scope) => given.includes(scope))) errors.invalid(at, value, 'conflicting scopes');
}

function validateScopeSelector(spec: JsonObject, errors: FieldErrors): void {
  const at = path('spec', 'scopeSelector', 'matchExpressions');
  const requirements = objectsIn(objectIn(spec, 'scopeSelector'), 'matchExpressions');
  const [value, mismatches] = [internalSelector(requirements), countMismatches(spec)];
  for (const requirement of requirements) {
    const scope = textIn(requirement, 'scopeName');
    if (!scopes.has(scope)) errors.invalid(at.child('scopeName'), scope, 'unsupported scope');
    for (let i = 0; i < mismatches(scope) && !errors.full; i++)
      errors.invalid(at, value, 'unsupported scope applied to resource');
    validateScopeOperator(requirement, scope, at, errors);
  }
  const given = requirements.map((requirement) => textIn(requirement, 'scopeName'));
  for (const pair of contradictions)
    if (pair.every((scope) => given.includes(scope))) errors.invalid(at, spec.scopes, 'conflicting scopes');
}

function validateScopeOperator(requirement: JsonObject, scope: string, at: FieldPath, errors: FieldErrors): void {
  const operator = textIn(requirement, 'operator');
  const values = textsIn(requirement, 'values');
  if (existOnly.includes(scope) && operator !== 'Exists')
    errors.invalid(
      at.child('operator'),
      operator,
      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
    );
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0)
      errors.required(at.child('values'), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.invalid(
        at.child('values'),
        [...values],
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
      );
  } else errors.invalid(at.child('operator'), operator, 'not a valid selector operator');
}

function internalSelector(requirements: readonly JsonObject[]): JsonObject {
  return {
    MatchExpressions: requirements.map(({ scopeName = '', operator = '', values = null }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values,
    })),
  };
}
