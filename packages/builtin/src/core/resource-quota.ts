import { type Column, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { compareQuantities, type JsonObject, mapIn, objectIn, parseQuantity } from '@tsukube/machinery';
import { ageColumn, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { roundResources } from './container/resource-list.ts';
import { validateQuotaSpec, validateQuotaStatus, validateQuotaUpdate } from './resource-quota-validation.ts';

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
    warnings: (object, old) => (old ? [] : unreachableLimits(mapIn(objectIn(object, 'spec'), 'hard'))),
  },
};

function usageCell(object: JsonObject, limits: boolean): string {
  const status = objectIn(object, 'status');
  const [hard, used] = [mapIn(status, 'hard'), mapIn(status, 'used')];
  const names = Object.keys(hard).filter((name) => name.startsWith('limits.') === limits);
  return names
    .sort()
    .map((name) => `${name}: ${Object.hasOwn(used, name) ? used[name] : '0'}/${hard[name]}`)
    .join(', ');
}

/** Requests that may add up to more than limits may. */
function unreachableLimits(hard: Readonly<Record<string, string>>): readonly string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const bare = (name === 'cpu' || name === 'memory') && hard[`requests.${name}`] === undefined;
    const requestName = bare ? name : `requests.${name}`;
    const [request, limit] = [hard[requestName], hard[`limits.${name}`]];
    if (request === undefined || limit === undefined) return [];
    if (compareQuantities(parseQuantity(request), parseQuantity(limit)) <= 0) return [];
    return [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`];
  });
}
