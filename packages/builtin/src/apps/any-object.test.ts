import type { Resource, Strategy } from '@tsukube/apiserver';
import { checkObject, deepCopy, FieldErrors, type JsonObject, type KubeObject, StatusError } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { type Random, randomNumbers, randomObject } from '../../../../tests/support/random-object.ts';
import { horizontalPodAutoscaler } from '../autoscaling/horizontal-pod-autoscaler.ts';
import { cronJob } from '../batch/cron-job.ts';
import { job } from '../batch/job.ts';
import { appsResources } from './index.ts';

const resources = [...appsResources, cronJob, job, horizontalPodAutoscaler];
const seeds = Array.from({ length: 150 }, (_, i) => i + 1);

/** A random object after decoding. */
function decoded(resource: Resource, random: Random): JsonObject {
  const { catalogue, type } = resource.hub.schema;
  const object = randomObject(type, random);
  const metadata = { ...(object.metadata as JsonObject), name: 'a', namespace: 'n', uid: 'u' };
  const checked = checkObject({ ...object, metadata }, catalogue.get(type), catalogue);
  if (checked.error !== undefined) throw new Error(checked.error);
  return checked.value;
}

/** Undefined if defaulting rejects the object. */
function withDefaults(strategy: Strategy, object: JsonObject): JsonObject | undefined {
  try {
    strategy.applyDefaults?.(object as KubeObject);
    return object;
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function goThrough(resource: Resource, seed: number): void {
  const random = randomNumbers(seed);
  const { strategy, hub, subresources } = resource;
  const object = withDefaults(strategy, decoded(resource, random));
  const other = withDefaults(strategy, decoded(resource, random));
  if (!object || !other) return;
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
  expect(errors.causes()).toBeDefined();
}

describe('any object', () => {
  it.each(resources.map((resource) => [resource.names.kind, resource] as const))(
    'is validated without an exception: %s',
    (_kind, resource) => {
      for (const seed of seeds) expect(() => goThrough(resource, seed), `seed ${seed}`).not.toThrow();
    },
  );

  it.each(resources.map((resource) => [resource.names.kind, resource] as const))(
    'has idempotent defaults: %s',
    (_kind, resource) => {
      for (const seed of seeds) {
        const object = withDefaults(resource.strategy, decoded(resource, randomNumbers(seed)));
        if (!object) continue;
        const again = deepCopy(object) as JsonObject;
        resource.strategy.applyDefaults?.(again as KubeObject);
        expect(again, `seed ${seed}`).toEqual(object);
      }
    },
  );
});
