import { builtinTypes } from '@tsukube/api';
import { type LogFields, type Resource, type ServedVersion, silentLogger, storedVerbs } from '@tsukube/apiserver';
import { afterEach, expect, it } from 'vitest';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const stalls: LogFields[] = [];
const keep = (message: string, fields: LogFields = {}) => {
  if (message === 'event loop stalled') stalls.push(fields);
};
/** On a busy machine a stall may use little CPU time and has level info then. */
const logger = { ...silentLogger, warn: keep, info: keep };
afterEach(() => {
  stalls.length = 0;
});

const v1: ServedVersion = {
  group: 'example.com',
  version: 'v1',
  schema: {
    catalogue: builtinTypes,
    type: 'io.k8s.api.core.v1.ConfigMap',
    listType: 'io.k8s.api.core.v1.ConfigMapList',
  },
};

/** A kind whose validation blocks the event loop for the time in an annotation. */
const snails: Resource = {
  names: { plural: 'snails', singular: 'snail', kind: 'ConfigMap', listKind: 'ConfigMapList' },
  scope: 'Cluster',
  storagePrefix: '/registry/example.com/snails',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateCreate(object) {
      const { annotations } = object.metadata as { annotations: { milliseconds: string } };
      const end = performance.now() + Number(annotations.milliseconds);
      while (performance.now() < end);
    },
  },
};

const t = useServer({ resources: [snails], logger });
const path = '/apis/example.com/v1/snails';

function snail(name: string, milliseconds: number) {
  return { metadata: { name, annotations: { milliseconds: String(milliseconds) } } };
}

it('logs a stall with the request that caused it', async () => {
  const maps = await newNamespace(t.client);
  const slow = t.client.send('POST', path, snail('slow', 400));
  await Promise.all([slow, ...Array.from({ length: 20 }, (_, i) => t.client.send('POST', maps, configMap(`m${i}`)))]);
  expect((await slow).status).toBe(201);
  const found = () => stalls.find(({ path: stalled }) => stalled === path);
  await expect.poll(found).toBeDefined();
  const stall = found();
  expect(stall).toMatchObject({ method: 'POST', path, verb: 'create', resource: 'snails.example.com', user: 'admin' });
  expect(stall?.durationMs).toBeGreaterThan(300);
  expect(stall?.requestMs).toBeGreaterThanOrEqual(400);
  expect(stall?.bytes).toBe(JSON.stringify(snail('slow', 400)).length);
});

it('counts stalls', async () => {
  const count = async () =>
    Number(/^tsukube_event_loop_stall_seconds_count (\d+)/m.exec((await t.client.get('/metrics')).text)?.[1]);
  const before = await count();
  expect((await t.client.send('POST', path, snail('counted', 250))).status).toBe(201);
  await expect.poll(count).toBeGreaterThan(before);
});

it('logs nothing without a stall', async () => {
  await new Promise((resolve) => setTimeout(resolve, 200));
  stalls.length = 0;
  expect((await t.client.send('POST', path, snail('quick', 10))).status).toBe(201);
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(stalls.filter(({ path: stalled }) => stalled === path)).toEqual([]);
});
