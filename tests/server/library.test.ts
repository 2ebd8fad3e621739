import { request } from 'node:https';
import { builtinTypes } from '@tsukube/api';
import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type Field, path as fieldPath, type TypeDefinition } from '@tsukube/machinery';
import { defineResource } from '@tsukube/sdk';
import { describe, expect, it } from 'vitest';
import { useServer } from '../support/server.ts';

/** The built-in types and the type of a test kind. */
function typesOf(fields: readonly Field[]) {
  const metadata: Field = {
    name: 'metadata',
    type: { is: 'object', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    default: {},
  };
  const text = (name: string): Field => ({ name, type: { is: 'string' } });
  const all = [text('kind'), text('apiVersion'), metadata, ...fields];
  const lamp: TypeDefinition = {
    name: 'com.example.Lamp',
    fields: new Map(all.map((field) => [field.name, field])),
    gvks: [{ group: 'example.com', version: 'v1', kind: 'Lamp' }],
  };
  return { ...builtinTypes, get: (name: string) => (name === lamp.name ? lamp : builtinTypes.get(name)) };
}

const v1: ServedVersion = {
  group: 'example.com',
  version: 'v1',
  schema: {
    catalogue: typesOf([{ name: 'lumen', type: { is: 'int32' } }]),
    type: 'com.example.Lamp',
    listType: 'com.example.LampList',
  },
};

const lamps: Resource = {
  names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList', shortNames: ['la'] },
  scope: 'Cluster',
  storagePrefix: '/registry/example.com/lamps',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateCreate(object, errors) {
      if (Number(object.lumen ?? 0) < 0) errors.invalid(fieldPath('lumen'), object.lumen, 'must not be negative');
    },
  },
  subresources: {
    echo: {
      connectMethods: ['get'],
      verbs: {
        connect: ({ exchange }) => {
          const connection = exchange.takeOver?.();
          if (!connection) return { kind: 'bytes', status: 400, type: 'text/plain', body: 'ask to upgrade' };
          connection.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n');
          connection.socket.write(connection.head);
          connection.socket.pipe(connection.socket);
          return { kind: 'taken-over', status: 101 };
        },
      },
    },
  },
};

const switches = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Switch',
  schema: { type: 'object', properties: { on: { type: 'boolean', default: false } } },
});
const meters = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Meter',
  scope: 'Cluster',
  schema: { type: 'object', properties: { watts: { type: 'integer' } } },
  storage: {
    get: ({ name, user }) => ({ metadata: { name, annotations: { for: user.name } }, watts: 60 }),
    list: () => [{ metadata: { name: 'main' }, watts: 60 }],
  },
});

const t = useServer({ resources: [lamps, switches, meters] });
const path = '/apis/example.com/v1/lamps';

describe('a resource of a library user', () => {
  it('has every verb, discovery and Tables', async () => {
    expect((await t.client.send('POST', path, { metadata: { name: 'a' }, lumen: 5 })).status).toBe(201);
    expect((await t.client.get(path)).body.items[0]).toMatchObject({ metadata: { name: 'a' }, lumen: 5 });
    const { resources } = (await t.client.get('/apis/example.com/v1')).body;
    const names = resources.map((resource: { name: string }) => resource.name);
    expect(names).toEqual(['lamps', 'lamps/echo', 'meters', 'switches']);
    const table = await t.client.get(path, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    expect(table.body.rows[0].cells[0]).toBe('a');
  });

  it('may be defined by the SDK, also with an own storage', async () => {
    const place = '/apis/example.com/v1/namespaces/default/switches';
    const { status, body } = await t.client.send('POST', place, {
      apiVersion: 'example.com/v1',
      kind: 'Switch',
      metadata: { name: 'a' },
    });
    expect([status, body.on]).toEqual([201, false]);
    expect((await t.client.get('/apis/example.com/v1/meters/x')).body).toMatchObject({
      metadata: { annotations: { for: 'admin' } },
      watts: 60,
    });
    expect((await t.client.get('/apis/example.com/v1/meters')).body.items).toHaveLength(1);
    const { components } = (await t.client.get('/openapi/v3/apis/example.com/v1')).body;
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['com.example.v1.Switch', 'com.example.v1.Meter']));
  });

  it('is validated by its strategy', async () => {
    const { status, body } = await t.client.send('POST', path, { metadata: { name: 'b' }, lumen: -1 });
    expect([status, body.details.causes[0].field]).toEqual([422, 'lumen']);
  });

  it('may upgrade the connection', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(`${t.client.url}${path}/a/echo`, {
        headers: { connection: 'upgrade', upgrade: 'echo' },
        ...t.client.tls,
      });
      sent.on('upgrade', (_response, socket) => {
        socket.once('data', (data: Buffer) => {
          resolve(data.toString());
          socket.destroy();
        });
        socket.write('hello');
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(answer).toBe('hello');
  });
});
