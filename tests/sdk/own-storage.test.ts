import { setTimeout as pause } from 'node:timers/promises';
import {
  defineResource,
  ObjectChanged,
  ObjectExists,
  type ObjectStorage,
  type RunningApiServer,
  type StorageEvent,
  type StoredObject,
  serve,
  VersionExpired,
} from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';

interface Note {
  text: string;
}
const schema = { type: 'object', required: ['text'], properties: { text: { type: 'string' } } } as const;
const group = 'notes.example.com';

/** A storage as an author may write it: a map with a version counter and a log of events. */
class Notes implements ObjectStorage<Note> {
  readonly rows = new Map<string, StoredObject<Note>>();
  readonly log: StorageEvent<Note>[] = [];
  readonly calls: string[] = [];
  version = 10;
  oldest = 10;
  watches = 0;
  #wake = new AbortController();

  get({ namespace, name, user }: { namespace: string | undefined; name: string; user: { name: string } }) {
    this.calls.push(`get ${namespace}/${name} by ${user.name}`);
    return this.rows.get(`${namespace}/${name}`);
  }
  list({ namespace }: { namespace: string | undefined }) {
    this.calls.push(`list ${namespace}`);
    // Newest first: the order of the API is that of names.
    return { items: [...this.rows.values()].reverse(), resourceVersion: String(this.version) };
  }
  create(object: StoredObject<Note>) {
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    if (this.rows.has(key)) throw new ObjectExists();
    return this.#write('ADDED', key, object);
  }
  async update(object: StoredObject<Note>, { old }: { old: StoredObject<Note> }) {
    const key = `${object.metadata.namespace}/${object.metadata.name}`;
    await pause(1);
    if (this.rows.get(key)?.metadata.resourceVersion !== old.metadata.resourceVersion) throw new ObjectChanged();
    return this.#write('MODIFIED', key, object);
  }
  delete({ namespace, name, resourceVersion }: { namespace: string | undefined; name: string; resourceVersion: string }) {
    const row = this.rows.get(`${namespace}/${name}`);
    if (row?.metadata.resourceVersion !== resourceVersion) throw new ObjectChanged();
    this.#write('DELETED', `${namespace}/${name}`, row);
  }
  async *watch({ resourceVersion, signal }: { resourceVersion: string; signal: AbortSignal }) {
    this.watches++;
    if (Number(resourceVersion) < this.oldest) throw new VersionExpired();
    let sent = Number(resourceVersion);
    while (!signal.aborted) {
      for (const event of this.log) {
        const version = Number(event.object.metadata.resourceVersion);
        if (version <= sent) continue;
        sent = version;
        yield event;
      }
      await pause(10_000, undefined, { signal: AbortSignal.any([signal, this.#wake.signal]) }).catch(() => {});
    }
  }
  #write(type: StorageEvent<Note>['type'], key: string, object: StoredObject<Note>): StoredObject<Note> {
    const row = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    if (type === 'DELETED') this.rows.delete(key);
    else this.rows.set(key, row);
    this.log.push({ type, object: row });
    this.#wake.abort();
    this.#wake = new AbortController();
    return row;
  }
}

const storage = new Notes();
const notes = defineResource({
  group,
  version: 'v1',
  kind: 'Note',
  schema,
  columns: [{ name: 'Text', value: (note) => note.text }],
  selectableFields: ['.text'],
  storage,
  subresources: {
    shout: {
      put: (call) =>
        call.update((note) => {
          note.text = note.text.toUpperCase();
        }),
    },
  },
});

/** Computed when asked: no versions, no writes, no watch. */
const loads = defineResource({
  group,
  version: 'v1',
  kind: 'Load',
  scope: 'Cluster',
  schema: { type: 'object', properties: { percent: { type: 'number' } } },
  storage: {
    get: ({ name }) => (name === 'cpu' ? { metadata: { name }, percent: 12.5 } : undefined),
    list: async function* () {
      for (const name of ['memory', 'cpu', 'disk']) yield { metadata: { name, labels: { kind: name } }, percent: name.length };
    },
  },
});

/** Writable without versions. */
const plain = new Map<string, StoredObject<Note>>();
const drafts = defineResource({
  group,
  version: 'v1',
  kind: 'Draft',
  scope: 'Cluster',
  schema,
  storage: {
    get: ({ name }) => plain.get(name),
    list: () => plain.values(),
    create(object) {
      const { resourceVersion: _, ...metadata } = object.metadata;
      plain.set(metadata.name, { metadata, text: object.text });
      return undefined;
    },
    update(object) {
      const { resourceVersion: _, ...metadata } = object.metadata;
      plain.set(metadata.name, { metadata, text: object.text });
      return undefined;
    },
  },
});

const wrong = defineResource({
  group,
  version: 'v1',
  kind: 'Wrong',
  plural: 'wrongs',
  scope: 'Cluster',
  schema,
  storage: {
    get({ name }) {
      if (name === 'throws') throw new Error('the database says no');
      if (name === 'other') return { metadata: { name: 'another' }, text: '' };
      if (name === 'version') return { metadata: { name, resourceVersion: 'abc' }, text: '' };
      return name === 'bigint' ? { metadata: { name }, text: (2n ** 70n) as unknown as string } : undefined;
    },
    list: () => Promise.reject(new Error('the database is gone')),
  },
});

let server: RunningApiServer;
let client: Client;
beforeAll(async () => {
  server = await serve({ resources: [notes, loads, drafts, wrong], port: 0 });
  client = clientFor(server.kubeconfig);
});
afterAll(async () => {
  client.close();
  await server.close();
});

const api = `/apis/${group}/v1`;
const place = `${api}/namespaces/default/notes`;
const note = (name: string, text: string, more: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Note',
  metadata: { name, ...more },
  text,
});
const merge = { 'content-type': 'application/merge-patch+json' };
const tableType = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const namesOf = (list: { items: { metadata: { name: string } }[] }) => list.items.map(({ metadata }) => metadata.name);

describe('an own storage', () => {
  it('has typed objects', () => {
    expectTypeOf<Parameters<NonNullable<ObjectStorage<Note>['create']>>[0]['text']>().toEqualTypeOf<string>();
  });

  it('is created, read, updated, patched and deleted through the API', async () => {
    const created = await client.send('POST', place, note('a', 'one'));
    expect([created.status, created.body.metadata.resourceVersion, created.body.metadata.uid]).toEqual([
      201,
      '11',
      expect.any(String),
    ]);
    expect(storage.calls.at(-1)).toBe('get default/a by admin');
    expect((await client.send('POST', place, note('a', 'again'))).body.reason).toBe('AlreadyExists');
    const put = await client.send('PUT', `${place}/a`, { ...created.body, text: 'two' });
    expect([put.status, put.body.text, put.body.metadata.resourceVersion]).toEqual([200, 'two', '12']);
    expect((await client.send('PUT', `${place}/a`, { ...created.body, text: 'three' })).status).toBe(409);
    expect((await client.send('PATCH', `${place}/a`, { text: 'four' }, merge)).body.text).toBe('four');
    const json = { 'content-type': 'application/json-patch+json' };
    expect((await client.send('PATCH', `${place}/a`, [{ op: 'replace', path: '/text', value: 'five' }], json)).body.text).toBe(
      'five',
    );
    expect((await client.send('PATCH', `${place}/a`, { text: 1 }, merge)).status).toBe(422);
    expect((await client.send('PUT', `${place}/a/shout`)).body.text).toBe('FIVE');
    expect((await client.send('DELETE', `${place}/a`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
    expect((await client.send('DELETE', `${place}/a`)).status).toBe(200);
    expect((await client.get(`${place}/a`)).body.reason).toBe('NotFound');
  });

  it('is applied, with managedFields in the stored object', async () => {
    const apply = (manager: string, text: string) =>
      client.send('PATCH', `${place}/applied?fieldManager=${manager}`, note('applied', text), {
        'content-type': 'application/apply-patch+yaml',
      });
    expect((await apply('one', 'x')).status).toBe(201);
    expect((await apply('one', 'y')).body.text).toBe('y');
    expect((await apply('two', 'z')).status).toBe(409);
  });

  it('is not written in a dry run', async () => {
    const { version } = storage;
    const { status, body } = await client.send('POST', `${place}?dryRun=All`, note('dry', 'x'));
    expect([status, body.text, storage.version]).toEqual([201, 'x', version]);
  });

  it('is updated without loss by many at a time', async () => {
    await client.send('POST', place, note('race', '', { annotations: {} }));
    const patches = Array.from({ length: 8 }, (_, i) =>
      client.send('PATCH', `${place}/race`, { metadata: { annotations: { [`n${i}`]: 'x' } } }, merge),
    );
    for (const { status } of await Promise.all(patches)) expect(status).toBe(200);
    expect(Object.keys(storage.rows.get('default/race')?.metadata.annotations ?? {})).toHaveLength(8);
  });

  it('has generated names, selectors, pages and Tables', async () => {
    const lists = `${api}/namespaces/lists/notes`;
    const generated = await client.send('POST', lists, note('', 'g', { name: undefined, generateName: 'g-' }));
    expect(generated.body.metadata.name).toMatch(/^g-/);
    for (const name of ['c', 'a', 'b']) await client.send('POST', lists, note(name, `text of ${name}`, { labels: { name } }));
    const first = (await client.get(`${lists}?limit=2`)).body;
    expect([namesOf(first), first.metadata.remainingItemCount, Number(first.metadata.resourceVersion)]).toEqual([
      ['a', 'b'],
      2,
      storage.version,
    ]);
    const second = (await client.get(`${lists}?limit=2&continue=${first.metadata.continue}`)).body;
    expect([namesOf(second)[0], second.metadata.continue]).toEqual(['c', '']);
    expect(namesOf((await client.get(`${lists}?labelSelector=name+in+(b,c)`)).body)).toEqual(['b', 'c']);
    expect(namesOf((await client.get(`${lists}?fieldSelector=text%3Dtext+of+b`)).body)).toEqual(['b']);
    expect(namesOf((await client.get(`${lists}?resourceVersion=0`)).body)).toHaveLength(4);
    const table = (await client.get(lists, { accept: tableType })).body;
    expect(table.rows[0].cells.slice(0, 2)).toEqual(['a', 'text of a']);
    const metadata = (await client.get(lists, { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }))
      .body;
    expect([metadata.kind, metadata.items[0].text]).toEqual(['PartialObjectMetadataList', undefined]);
    expect((await client.get(lists, { accept: 'application/yaml' })).text).toContain('text: text of a');
    expect((await client.send('DELETE', `${lists}?labelSelector=name`)).status).toBe(200);
    expect(namesOf((await client.get(lists)).body)).toEqual([generated.body.metadata.name]);
  });

  it('is watched by all clients through one watch', async () => {
    const watched = `${api}/namespaces/watched/notes`;
    await client.send('POST', watched, note('before', 'x', { labels: { on: 'yes' } }));
    const { resourceVersion } = (await client.get(watched)).body.metadata;
    const state = await client.watch(`${watched}?watch=1`);
    const later = await client.watch(`${watched}?watch=1&resourceVersion=${resourceVersion}&labelSelector=on`);
    expect((await state.next()).object.metadata.name).toBe('before');
    await client.send('POST', watched, note('w', 'y', { labels: { on: 'yes' } }));
    await client.send('PATCH', `${watched}/w`, { metadata: { labels: { on: null } } }, merge);
    await client.send('DELETE', `${watched}/w`);
    const seen = (events: { type: string; object: { metadata: { name: string } } }[]) =>
      events.map(({ type, object }) => `${type} ${object.metadata.name}`);
    expect(seen(await state.take(3))).toEqual(['ADDED w', 'MODIFIED w', 'DELETED w']);
    expect(seen(await later.take(2))).toEqual(['ADDED w', 'DELETED w']);
    expect(storage.watches).toBe(1);
    const old = await client.watch(`${watched}?watch=1&resourceVersion=2`);
    expect((await old.next()).object).toMatchObject({ code: 410, reason: 'Expired' });
    for (const each of [state, later, old]) each.close();
  });
});

describe('a storage with get and list', () => {
  it('serves these verbs only', async () => {
    const { resources } = (await client.get(api)).body;
    expect(resources.find(({ name }: { name: string }) => name === 'loads').verbs).toEqual(['get', 'list']);
    expect((await client.get(`${api}/loads/cpu`)).body).toEqual({
      kind: 'Load',
      apiVersion: `${group}/v1`,
      metadata: { name: 'cpu' },
      percent: 12.5,
    });
    const list = (await client.get(`${api}/loads`)).body;
    expect([namesOf(list), list.metadata]).toEqual([['cpu', 'disk', 'memory'], { continue: '' }]);
    expect((await client.get(`${api}/loads`, { accept: tableType })).body.rows[0].cells).toEqual(['cpu', '<unknown>']);
    expect(namesOf((await client.get(`${api}/loads?labelSelector=kind%3Ddisk`)).body)).toEqual(['disk']);
    const first = (await client.get(`${api}/loads?limit=1`)).body;
    expect(namesOf((await client.get(`${api}/loads?limit=5&continue=${first.metadata.continue}`)).body)).toEqual([
      'disk',
      'memory',
    ]);
  });

  it.each([
    ['POST', ''],
    ['PUT', '/cpu'],
    ['PATCH', '/cpu'],
    ['DELETE', '/cpu'],
    ['DELETE', ''],
    ['GET', '?watch=1'],
  ])('refuses %s %s with 405', async (method, rest) => {
    expect((await client.send(method, `${api}/loads${rest}`, method === 'GET' ? undefined : {})).status).toBe(405);
  });
});

describe('a storage without versions', () => {
  it('has versions of the content, so that updates can conflict', async () => {
    const draft = { apiVersion: `${group}/v1`, kind: 'Draft', metadata: { name: 'd' }, text: 'one' };
    const created = await client.send('POST', `${api}/drafts`, draft);
    expect([created.status, Number(created.body.metadata.resourceVersion)]).toEqual([201, expect.any(Number)]);
    const put = await client.send('PUT', `${api}/drafts/d`, { ...created.body, text: 'two' });
    expect([put.status, put.body.text]).toEqual([200, 'two']);
    expect((await client.send('PUT', `${api}/drafts/d`, { ...created.body, text: 'three' })).status).toBe(409);
    expect((await client.send('DELETE', `${api}/drafts/d`)).status).toBe(405);
  });
});

describe('a storage that fails', () => {
  it.each(['throws', 'other', 'version'])('is a 500 without its message: %s', async (name) => {
    const { status, text } = await client.get(`${api}/wrongs/${name}`);
    expect([status, /database|another|abc/.test(text)]).toEqual([500, false]);
  });

  it('does not stop the server', async () => {
    expect((await client.get(`${api}/wrongs`)).status).toBe(500);
    expect((await client.get(`${api}/wrongs/bigint`)).status).toBe(200);
    expect((await client.get(`${api}/wrongs/none`)).status).toBe(404);
    expect((await client.get('/readyz')).status).toBe(200);
  });
});
