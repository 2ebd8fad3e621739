import { connect } from 'node:http2';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { Any, Client } from '../support/client.ts';
import { configMap, newNamespace, own, useServer } from '../support/server.ts';

const t = useServer();

async function started(client: Client): Promise<{ path: string; version: string }> {
  const path = await newNamespace(client);
  await expect.poll(async () => (await client.get(`${path}/kube-root-ca.crt`)).status).toBe(200);
  const { body } = await client.get(path);
  return { path, version: body.metadata.resourceVersion };
}

const brief = (event: Any): string => `${event.type} ${event.object.metadata.name} ${event.object.data?.n ?? ''}`.trim();

describe('watch', () => {
  it('delivers all events after a resourceVersion, in order, once', async () => {
    const { path, version } = await started(t.client);
    const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${version}`);
    for (let i = 0; i < 20; i++) await t.client.send('POST', path, configMap(`c${i}`, {}, { n: String(i) }));
    const events = await watch.take(20);
    expect(events.map(brief)).toEqual(Array.from({ length: 20 }, (_, i) => `ADDED c${i} ${i}`));
    const revisions = events.map((event) => Number(event.object.metadata.resourceVersion));
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
    watch.close();
  });

  it('resumes from any resourceVersion without gaps or duplicates', async () => {
    const { path, version } = await started(t.client);
    const created: string[] = [];
    for (let i = 0; i < 10; i++)
      created.push((await t.client.send('POST', path, configMap(`c${i}`))).body.metadata.resourceVersion);
    for (const [i, from] of [version, ...created].entries()) {
      const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${from}`);
      const events = i < 10 ? await watch.take(10 - i) : [];
      expect(events.map((event) => event.object.metadata.name)).toEqual(Array.from({ length: 10 - i }, (_, k) => `c${i + k}`));
      watch.close();
    }
  });

  it.each(['', '&resourceVersion=0'])('starts with the existing objects%s', async (version) => {
    const { path } = await started(t.client);
    await t.client.send('POST', path, configMap('a'));
    const watch = await t.client.watch(`${path}?watch=1&${own}${version}`);
    expect(brief(await watch.next())).toBe('ADDED a');
    await t.client.send('DELETE', `${path}/a`);
    expect(brief(await watch.next())).toBe('DELETED a');
    watch.close();
  });

  it('reports objects that start or stop matching the selector', async () => {
    const { path, version } = await started(t.client);
    const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${version}&labelSelector=on%3Dyes`);
    const put = (n: string, on?: string) => t.client.send('PUT', `${path}/a`, configMap('a', on ? { on } : {}, { n }));
    await t.client.send('POST', path, configMap('a', {}, { n: '0' }));
    await put('1', 'yes');
    await put('2', 'yes');
    const { body } = await put('3', 'no');
    await put('4');
    await put('5', 'yes');
    await t.client.send('DELETE', `${path}/a`);
    const events = await watch.take(5);
    expect(events.map(brief)).toEqual(['ADDED a 1', 'MODIFIED a 2', 'DELETED a 2', 'ADDED a 5', 'DELETED a 5']);
    expect(events[2].object.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    watch.close();
  });

  it('sends the initial events, a bookmark, and later events', async () => {
    const { path } = await started(t.client);
    for (const name of ['a', 'b']) await t.client.send('POST', path, configMap(name));
    const query = `${own}&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;
    const watch = await t.client.watch(`${path}?${query}`);
    expect((await watch.take(2)).map(brief)).toEqual(['ADDED a', 'ADDED b']);
    const bookmark = await watch.next();
    expect(bookmark).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    const { body } = await t.client.send('POST', path, configMap('c'));
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(bookmark.object.metadata.resourceVersion));
    expect(brief(await watch.next())).toBe('ADDED c');
    watch.close();
  });

  it('starts without initial events with sendInitialEvents=false', async () => {
    const { path } = await started(t.client);
    await t.client.send('POST', path, configMap('a'));
    const watch = await t.client.watch(`${path}?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await t.client.send('POST', path, configMap('b'));
    expect(brief(await watch.next())).toBe('ADDED b');
    watch.close();
  });

  it('ends after timeoutSeconds', async () => {
    const { path, version } = await started(t.client);
    const begun = Date.now();
    const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${version}&timeoutSeconds=1`);
    await watch.ended();
    expect(Date.now() - begun).toBeGreaterThanOrEqual(900);
  });

  it('sends Tables, with columns in the first event only', async () => {
    const { path, version } = await started(t.client);
    const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${version}`, { accept });
    for (const name of ['a', 'b']) await t.client.send('POST', path, configMap(name, {}, { x: '1' }));
    const [first, second] = await watch.take(2);
    expect(first.object.columnDefinitions.map((column: Any) => column.name)).toEqual(['Name', 'Data', 'Age']);
    expect(first.object.rows[0].cells.slice(0, 2)).toEqual(['a', 1]);
    expect(second.object.columnDefinitions).toBeNull();
    expect(second.object.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'b' } });
    watch.close();
  });

  it('sends PartialObjectMetadata', async () => {
    const { path, version } = await started(t.client);
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const watch = await t.client.watch(`${path}?watch=1&resourceVersion=${version}`, { accept });
    await t.client.send('POST', path, configMap('a', {}, { x: '1' }));
    const { object } = await watch.next();
    expect(object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'a' } });
    expect(object.data).toBeUndefined();
    watch.close();
  });

  it('works over WebSocket, with one event per message', async () => {
    const { path, version } = await started(t.client);
    const socket = new WebSocket(
      `${t.client.url.replace('https', 'wss')}${path}?watch=1&resourceVersion=${version}`,
      t.client.tls,
    );
    const messages: string[] = [];
    socket.on('message', (message) => messages.push(String(message)));
    await new Promise((resolve) => socket.once('open', resolve));
    await Promise.all(['a', 'b', 'c'].map((name) => t.client.send('POST', path, configMap(name))));
    await expect.poll(() => messages.length).toBe(3);
    expect(messages.map((message) => JSON.parse(message).type)).toEqual(['ADDED', 'ADDED', 'ADDED']);
    socket.close();
  });

  it('answers a failed WebSocket handshake with a Status', async () => {
    const socket = new WebSocket(`${t.client.url.replace('https', 'wss')}/api/v1/nosuch?watch=1`, t.client.tls);
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
      socket.on('error', () => {});
    });
    expect(status).toBe(404);
  });
});

describe('many watches', () => {
  it('get every event over HTTP/2, with any selector', async () => {
    const { path, version } = await started(t.client);
    const session = connect(t.client.url, t.client.tls);
    const received = Array.from({ length: 90 }, () => [] as string[]);
    for (const [i, lines] of received.entries()) {
      const selector = i % 3 === 0 ? '' : `&labelSelector=k%3D${i % 3}`;
      const stream = session.request({ ':path': `${path}?watch=1&resourceVersion=${version}${selector}` });
      let rest = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() as string;
        lines.push(...parts.map((part) => JSON.parse(part).object.metadata.name));
      });
    }
    await Promise.all(
      Array.from({ length: 60 }, (_, i) => t.client.send('POST', path, configMap(`c${i}`, { k: String(1 + (i % 2)) }))),
    );
    await expect
      .poll(() => received.every((lines, i) => lines.length === (i % 3 === 0 ? 60 : 30)), { timeout: 10_000 })
      .toBe(true);
    for (const [i, lines] of received.entries()) expect(lines, `watch ${i}`).toEqual([...new Set(lines)]);
    session.destroy();
  });
});

describe('bookmarks', () => {
  const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
  const streaming = 'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';

  it('are sent two seconds before a watch ends', async () => {
    const { path, version } = await started(t.client);
    const watch = await t.client.watch(
      `${path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=${version}&labelSelector=none`,
    );
    expect(await watch.take(2)).toMatchObject([{ type: 'BOOKMARK', object: { kind: 'ConfigMap' } }]);
  });

  // The output of kube-apiserver 1.36.
  it.each([
    ['/api/v1/pods', 9, '{"resourceVersion":"V"},"spec":{"containers":null},"status":{}}'],
    [
      '/apis/batch/v1/jobs',
      8,
      '{"resourceVersion":"V"},"spec":{"template":{"metadata":{},"spec":{"containers":null}}},"status":{}}',
    ],
    ['/apis/coordination.k8s.io/v1/leases', 3, '{"resourceVersion":"V"},"spec":{}}'],
  ])('are empty objects: %s', async (path, columns, rest) => {
    const query = `labelSelector=none&${streaming}`;
    const plain = await (await t.client.watch(`${path}?${query}`)).next();
    const metadata = { resourceVersion: 'V', annotations: { 'k8s.io/initial-events-end': 'true' } };
    const shown = JSON.stringify(plain.object).replace(/("resourceVersion":)"\d+"/, '$1"V"');
    expect(shown).toContain(`"metadata":${rest.replace('{"resourceVersion":"V"}', JSON.stringify(metadata))}`);
    const { object } = await (await t.client.watch(`${path}?${query}&includeObject=None`, { accept: table })).next();
    expect(object.columnDefinitions).toHaveLength(columns);
    expect(object.rows).toEqual([
      {
        cells: expect.arrayContaining(['', '<unknown>']),
        object: {
          kind: 'PartialObjectMetadata',
          apiVersion: 'meta.k8s.io/v1',
          metadata: { ...metadata, resourceVersion: object.metadata.resourceVersion },
        },
      },
    ]);
    expect(object.rows[0].cells).toHaveLength(columns);
  });

  it('never decrease', async () => {
    const { path } = await started(t.client);
    const query = 'watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const first = await t.client.watch(`${path}?${query}`);
    const mark = async (watch: typeof first) => {
      for (;;) {
        const event = await watch.next();
        if (event.type === 'BOOKMARK') return Number(event.object.metadata.resourceVersion);
      }
    };
    const early = await mark(first);
    await t.client.send('POST', path, configMap('a'));
    const second = await t.client.watch(`${path}?${query}`);
    expect(await mark(second)).toBeGreaterThan(early);
    first.close();
    second.close();
  });
});
