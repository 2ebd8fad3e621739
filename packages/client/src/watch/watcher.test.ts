import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../rest/api-client.ts';
import type { ApiObject } from '../rest/api-object.ts';
import { ResourceApi } from '../rest/resource-api.ts';
import { parseResourceName } from '../rest/resource-name.ts';
import { ObjectStore } from './object-store.ts';
import { reflector, type Transform } from './reflector.ts';
import { type WatcherEvent, type WatcherOptions, watcher } from './watcher.ts';

type Step = (request: IncomingMessage, response: ServerResponse) => void;

const object = (name: string, resourceVersion: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion: String(resourceVersion) },
});
const line = (type: string, value: object) => `${JSON.stringify({ type, object: value })}\n`;
const bookmark = (resourceVersion: number, annotations = {}) =>
  line('BOOKMARK', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: String(resourceVersion), annotations } });
const endOfList = (resourceVersion: number) => bookmark(resourceVersion, { 'k8s.io/initial-events-end': 'true' });
const refuse =
  (code: number, reason: string): Step =>
  (_, response) =>
    response.writeHead(code).end(JSON.stringify({ kind: 'Status', status: 'Failure', message: reason, reason, code }));
/** Sends lines and keeps the watch open, or ends it. */
const send =
  (text: string, end = false): Step =>
  (_, response) => {
    response.writeHead(200);
    response.write(text);
    if (end) response.end();
  };
const list = (resourceVersion: number, items: object[], next = ''): Step =>
  send(
    JSON.stringify({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: `${resourceVersion}`, continue: next },
      items,
    }),
    true,
  );

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers with one step after the other, and the paths that were asked for. */
async function scripted(...steps: Step[]): Promise<{ api: ResourceApi<ApiObject>; queries: Record<string, string>[] }> {
  const queries: Record<string, string>[] = [];
  server = createServer((request, response) => {
    const query = Object.fromEntries(new URL(request.url as string, 'http://a').searchParams);
    delete query.timeoutSeconds;
    queries.push(query);
    const step = steps.shift();
    if (step) step(request, response);
    else send('')(request, response);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new ApiClient({ server: `http://127.0.0.1:${port}` }, { rateLimit: false });
  return { api: new ResourceApi(client, parseResourceName('v1/configmaps')), queries };
}

/** Events until the given one, in short form. */
async function collect(api: ResourceApi<ApiObject>, last: string, options: WatcherOptions = {}): Promise<string[]> {
  const end = new AbortController();
  const seen: string[] = [];
  for await (const event of watcher(api, { backoff: { initialMs: 1, maxMs: 5 }, signal: end.signal, ...options })) {
    seen.push(brief(event));
    if (seen.at(-1) === last) end.abort();
    if (seen.length > 50) throw new Error(`${last} was not received: ${seen.join(', ')}`);
  }
  return seen;
}

function brief(event: WatcherEvent<ApiObject>): string {
  if ('object' in event) return `${event.type} ${event.object.metadata.name}`;
  if ('resourceVersion' in event) return `${event.type} ${event.resourceVersion}`;
  return 'error' in event ? `error ${(event.error as Error).message}` : event.type;
}

const streaming = { watch: 'true', allowWatchBookmarks: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
const from = (resourceVersion: number) => ({ watch: 'true', allowWatchBookmarks: 'true', resourceVersion: `${resourceVersion}` });

describe('a watcher', () => {
  it('streams the list, and then changes', async () => {
    const text =
      line('ADDED', object('a', 1)) + endOfList(5) + line('MODIFIED', object('a', 6)) + line('DELETED', object('a', 7));
    const { api, queries } = await scripted(send(text + bookmark(9)));
    expect(await collect(api, 'bookmark 9')).toEqual(['init', 'initApply a', 'initDone 5', 'apply a', 'delete a', 'bookmark 9']);
    expect(queries).toEqual([streaming]);
  });

  it('resumes after the last event when a watch ends', async () => {
    const { api, queries } = await scripted(
      send(endOfList(5) + line('ADDED', object('a', 6)), true),
      send(bookmark(8), true),
      send(line('ADDED', object('b', 9))),
    );
    expect(await collect(api, 'apply b')).toEqual(['init', 'initDone 5', 'apply a', 'bookmark 8', 'apply b']);
    expect(queries).toEqual([streaming, from(6), from(8)]);
  });

  it('lists again when the resourceVersion has expired', async () => {
    const gone = { kind: 'Status', status: 'Failure', reason: 'Expired', code: 410, message: 'too old' };
    const { api, queries } = await scripted(
      send(endOfList(5), true),
      send(line('ADDED', object('a', 6)) + line('ERROR', gone)),
      refuse(410, 'Expired'),
      send(line('ADDED', object('b', 20)) + endOfList(21)),
    );
    const again = ['init', 'error Expired', 'init', 'initApply b', 'initDone 21'];
    expect(await collect(api, 'initDone 21')).toEqual(['init', 'initDone 5', 'apply a', 'error too old', ...again]);
    expect(queries).toEqual([streaming, from(5), streaming, streaming]);
  });

  const failure = { kind: 'Status', status: 'Failure', reason: 'InternalError', code: 500, message: 'no progress' };
  it.each([
    ['refuses to', refuse(422, 'Invalid'), 'Invalid'],
    ['cannot', send(line('ERROR', failure)), 'no progress'],
    ['stops to', send(line('ADDED', object('z', 1)), true), 'the watch ended before the end of the initial list'],
  ])('lists in pages if the server %s stream lists', async (_, step, message) => {
    const { api, queries } = await scripted(
      step,
      list(7, [object('a', 1)], 'next'),
      list(7, [object('b', 2)]),
      send(line('ADDED', object('c', 8))),
    );
    const listed = ['init', 'initApply a', 'initApply b', 'initDone 7'];
    const seen = (await collect(api, 'apply c')).filter((event) => event !== 'initApply z');
    expect(seen).toEqual(['init', `error ${message}`, ...listed, 'apply c']);
    expect(queries.slice(1)).toEqual([{ limit: '500' }, { limit: '500', continue: 'next' }, from(7)]);
  });

  it('keeps streaming lists after other failures', async () => {
    const cut: Step = (request) => request.socket.destroy();
    const { api, queries } = await scripted(refuse(429, 'TooManyRequests'), cut, send(endOfList(5)));
    expect((await collect(api, 'initDone 5')).at(-1)).toBe('initDone 5');
    expect(queries).toEqual([streaming, streaming, streaming]);
  });

  it('lists at once if pages expire', async () => {
    const { api, queries } = await scripted(list(7, [object('a', 1)], 'next'), refuse(410, 'Expired'), list(8, [object('b', 2)]));
    const seen = await collect(api, 'initDone 8', { initial: 'list' });
    expect(seen).toEqual(['init', 'initApply a', 'error Expired', 'init', 'initApply b', 'initDone 8']);
    expect(queries).toEqual([{ limit: '500' }, { limit: '500', continue: 'next' }, {}]);
  });

  it('replaces a silent watch', async () => {
    const { api, queries } = await scripted(send(endOfList(5)), send(''), send(line('ADDED', object('a', 6))));
    const silent = 'error the watch was silent for 50 ms';
    expect(await collect(api, 'apply a', { silenceMs: 50 })).toEqual(['init', 'initDone 5', silent, silent, 'apply a']);
    expect(queries).toEqual([streaming, from(5), from(5)]);
  });

  it('replaces a silent initial list by pages, as servers without streaming lists may ignore the parameter', async () => {
    const { api } = await scripted(send(line('ADDED', object('a', 1))), list(7, [object('a', 1)]));
    const seen = await collect(api, 'initDone 7', { silenceMs: 50 });
    expect(seen).toEqual(['init', 'initApply a', 'error the watch was silent for 50 ms', 'init', 'initApply a', 'initDone 7']);
  });

  it('does not count the time of its consumer as silence', async () => {
    const { api } = await scripted(send(endOfList(5) + line('ADDED', object('a', 6)) + line('ADDED', object('b', 7))));
    const end = new AbortController();
    const seen: string[] = [];
    for await (const event of watcher(api, { silenceMs: 60, signal: end.signal })) {
      seen.push(brief(event));
      if (seen.at(-1) === 'apply b') end.abort();
      await new Promise((resolve) => setTimeout(resolve, 90));
    }
    expect(seen).toEqual(['init', 'initDone 5', 'apply a', 'apply b']);
  });

  it('backs off when watches end at once, and lists again when they are refused repeatedly', async () => {
    const { api, queries } = await scripted(
      send(endOfList(5), true),
      send('', true),
      refuse(500, 'InternalError'),
      refuse(500, 'InternalError'),
      refuse(500, 'InternalError'),
      send(endOfList(9)),
    );
    const refused = Array<string>(3).fill('error InternalError');
    const expected = ['init', 'initDone 5', 'error the server ended the watch at once', ...refused, 'init', 'initDone 9'];
    expect(await collect(api, 'initDone 9')).toEqual(expected);
    expect(queries).toEqual([streaming, from(5), from(5), from(5), from(5), streaming]);
  });

  it('survives malformed events', async () => {
    const { api } = await scripted(send(endOfList(5), true), send('{"type":"ADDED"}\n'), send('no JSON\n'), send(bookmark(6)));
    const seen = await collect(api, 'bookmark 6');
    expect(seen.slice(2, 4)).toEqual(['error an event of the watch has no object', expect.stringMatching(/^error .*JSON/)]);
  });
});

describe('a reflector', () => {
  /** Changes until the given one, in short form, and the store. */
  async function reflect(api: ResourceApi<ApiObject>, last: string, transform?: Transform<ApiObject>) {
    const end = new AbortController();
    const store = new ObjectStore<ApiObject>();
    const seen: string[] = [];
    const events = watcher(api, { backoff: { initialMs: 1, maxMs: 5 }, signal: end.signal });
    for await (const change of reflector(store, events, transform)) {
      if (change.type === 'synced') seen.push(`synced ${change.resourceVersion}`);
      else if (change.type !== 'error') seen.push(`${change.type} ${change.object.metadata.name}`);
      if (seen.at(-1) === last) end.abort();
    }
    return { seen, store };
  }

  it('keeps a store equal to the resource, and yields its changes', async () => {
    const { api } = await scripted(
      send(line('ADDED', object('a', 1)) + endOfList(2) + line('ADDED', object('b', 3)) + line('MODIFIED', object('a', 4))),
    );
    const { seen, store } = await reflect(api, 'modified a');
    expect(seen).toEqual(['added a', 'synced 2', 'added b', 'modified a']);
    expect([...store.keys()]).toEqual(['a', 'b']);
    expect([store.get('a')?.metadata.resourceVersion, store.resourceVersion]).toEqual(['4', '4']);
  });

  it('yields only the differences of another list', async () => {
    const expired = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Expired', message: 'too old', code: 410 };
    const first = ['gone', 'same', 'changed'].map((name, i) => line('ADDED', object(name, i + 1))).join('');
    const second = [object('same', 2), object('changed', 7), object('new', 8)].map((each) => line('ADDED', each)).join('');
    const { api } = await scripted(send(first + endOfList(5) + line('ERROR', expired)), send(second + endOfList(9)));
    const { seen } = await reflect(api, 'synced 9');
    expect(seen.slice(4)).toEqual(['deleted gone', 'modified changed', 'added new', 'synced 9']);
  });

  it('stores transformed objects, and still reports every change', async () => {
    const { api } = await scripted(
      send(line('ADDED', object('a', 1)) + endOfList(2) + line('MODIFIED', object('a', 3)) + line('DELETED', object('a', 4))),
    );
    const { seen } = await reflect(api, 'deleted a', ({ apiVersion, kind, metadata: { name } }) => ({
      apiVersion,
      kind,
      metadata: { name: name ?? '' },
    }));
    expect(seen).toEqual(['added a', 'synced 2', 'modified a', 'deleted a']);
  });
});
