import type { Resource } from '@tsukube/apiserver';
import { checkObject, deepCopy, FieldErrors, type JsonObject, type KubeObject, StatusError } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { type Random, randomNumbers, randomObject } from '../../../../tests/support/random-object.ts';
import { endpointSlice } from '../networking/endpoint-slice.ts';
import { networkingResources } from '../networking/index.ts';
import { podDisruptionBudget } from '../scheduling/pod-disruption-budget.ts';
import { priorityClass } from '../scheduling/priority-class.ts';
import { runtimeClass } from '../scheduling/runtime-class.ts';
import { storageResources } from '../storage/index.ts';
import { componentStatus } from './component-status.ts';
import { limitRange } from './limit-range.ts';
import { node } from './node.ts';
import { resourceQuota } from './resource-quota.ts';
import { endpoints } from './service/endpoints.ts';
import { initIPFamilyFields } from './service/ip-families.ts';
import { service } from './service/service.ts';
import { defaultServiceRanges } from './service/service-ranges.ts';
import { normalizeClusterIPs, patchAllocatedValues } from './service/service-strategy.ts';
import { serviceAccount } from './service-account.ts';
import { persistentVolume } from './volume/persistent-volume.ts';
import { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';

const resources = [
  serviceAccount(),
  service(),
  endpoints,
  node,
  persistentVolume,
  persistentVolumeClaim,
  limitRange,
  resourceQuota,
  componentStatus,
  endpointSlice,
  ...networkingResources,
  runtimeClass,
  podDisruptionBudget,
  priorityClass,
  ...storageResources,
];
const seeds = Array.from({ length: 50 }, (_, i) => i + 1);
const kinds = resources.map((resource) => [resource.names.kind, resource] as const);

/** A random object after decoding and defaulting. */
function decoded(resource: Resource, random: Random): JsonObject {
  const { catalogue, type } = resource.hub.schema;
  const object = randomObject(type, random);
  const metadata = { ...(object.metadata as JsonObject), name: 'a', uid: 'u' };
  const checked = checkObject({ ...object, metadata }, catalogue.get(type), catalogue);
  if (checked.error !== undefined) throw new Error(checked.error);
  resource.strategy.applyDefaults?.(checked.value as KubeObject);
  return checked.value;
}

function goThrough(resource: Resource, seed: number): void {
  const random = randomNumbers(seed);
  const { strategy, hub, subresources } = resource;
  const [object, other] = [decoded(resource, random), decoded(resource, random)];
  const errors = new FieldErrors();
  strategy.prepareForCreate?.(other as KubeObject, { name: 'u', groups: [] }, resource.hub);
  strategy.validateCreate?.(other as KubeObject, errors, hub);
  for (const each of [strategy, { ...strategy, ...subresources?.status?.strategy }]) {
    const update = deepCopy(object) as JsonObject;
    each.prepareForUpdate?.(update as KubeObject, other as KubeObject, resource.hub);
    each.validateUpdate?.(update as KubeObject, other as KubeObject, errors, hub);
    each.warnings?.(update as KubeObject, other as KubeObject);
  }
  for (const column of hub.columns ?? []) column.value(object as KubeObject);
  for (const field of Object.values(hub.selectableFields ?? {})) expect(typeof field(object as KubeObject)).toBe('string');
  expect(errors.causes()).toBeDefined();
}

describe('any object', () => {
  it.each(kinds)('is validated without an exception: %s', (_kind, resource) => {
    for (const seed of seeds) expect(() => goThrough(resource, seed), `seed ${seed}`).not.toThrow();
  });

  it.each(kinds)('has idempotent defaults: %s', (_kind, resource) => {
    for (const seed of seeds) {
      const object = decoded(resource, randomNumbers(seed));
      const again = deepCopy(object) as JsonObject;
      resource.strategy.applyDefaults?.(again as KubeObject);
      expect(again, `seed ${seed}`).toEqual(object);
    }
  });

  it('gets its IP families or a Status error', () => {
    const service = resources.find(({ names }) => names.plural === 'services') as Resource;
    for (const seed of seeds) {
      const random = randomNumbers(seed);
      const [spec, old] = [decoded(service, random).spec as JsonObject, decoded(service, random).spec as JsonObject];
      patchAllocatedValues(spec, old);
      normalizeClusterIPs(spec, old);
      try {
        initIPFamilyFields('a', spec, old, defaultServiceRanges);
      } catch (error) {
        expect(error, `seed ${seed}`).toBeInstanceOf(StatusError);
      }
    }
  });
});
