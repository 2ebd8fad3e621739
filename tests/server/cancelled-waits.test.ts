import { request as send } from 'node:https';
import { builtinTypes } from '@tsukube/api';
import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import type { Field, JsonObject, TypeDefinition } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

const lampType: TypeDefinition = {
  name: 'com.example.Lamp',
  fields: new Map(
    (
      [
        { name: 'kind', type: { is: 'string' } },
        { name: 'apiVersion', type: { is: 'string' } },
        { name: 'metadata', type: { is: 'object', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }, default: {} },
        { name: 'lumen', type: { is: 'int32' } },
      ] satisfies Field[]
    ).map((field) => [field.name, field]),
  ),
  gvks: [{ group: 'example.com', version: 'v1', kind: 'Lamp' }],
};
const catalogue = { ...builtinTypes, get: (name: string) => (name === lampType.name ? lampType : builtinTypes.get(name)) };
const v1: ServedVersion = {
  group: 'example.com',
  version: 'v1',
  schema: { catalogue, type: lampType.name, listType: 'com.example.LampList' },
};

/** Blocks writes of objects with `lumen: 7` until the test opens it. */
const gate = { held: 0, open: () => {} };

async function holdSevens(object: JsonObject): Promise<void> {
  if (object.lumen !== 7) return;
  gate.held++;
  await new Promise<void>((resolve) => {
    gate.open = resolve;
  });
}

const lamps: Resource = {
  names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
  scope: 'Cluster',
  storagePrefix: '/registry/example.com/lamps',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: { authorizeWrite: (object) => holdSevens(object) },
};

const t = useServer({ resources: [lamps] });
const path = '/apis/example.com/v1/lamps';

async function heldWrites(count: number): Promise<void> {
  await expect.poll(() => gate.held).toBe(count);
}

async function openGate(): Promise<void> {
  gate.open();
  gate.held = 0;
  // A later write is committed after it.
  await t.client.send('POST', path, { metadata: { generateName: 'after-' } });
}

describe('a write that waits in admission', () => {
  it.each(['POST', 'PUT'])('%s is not made after its client has disconnected', async (method) => {
    const name = `gone-${method.toLowerCase()}`;
    if (method === 'PUT') await t.client.send('POST', path, { metadata: { name }, lumen: 1 });
    const target = method === 'PUT' ? `${path}/${name}` : path;
    const request = send(t.client.url + target, { method, ...t.client.tls, headers: { 'content-type': 'application/json' } });
    request.on('error', () => {});
    request.end(JSON.stringify({ metadata: { name }, lumen: 7 }));
    await heldWrites(1);
    request.destroy();
    await new Promise((resolve) => request.on('close', resolve));
    await openGate();
    const { status, body } = await t.client.get(`${path}/${name}`);
    expect([status, body.lumen]).toEqual(method === 'PUT' ? [200, 1] : [404, undefined]);
  });

  it('is not made after its deadline', async () => {
    const { status, body } = await t.client.send('POST', `${path}?timeout=50ms`, { metadata: { name: 'late' }, lumen: 7 });
    expect([status, body.reason]).toEqual([504, 'Timeout']);
    await openGate();
    expect((await t.client.get(`${path}/late`)).status).toBe(404);
  });
});
