import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';

const probe = fileURLToPath(new URL('./loop-probe.cjs', import.meta.url));
const longestMs = 50;
const limit = { timeout: 180_000 };
const configMaps = '/api/v1/namespaces/default/configmaps';
const pods = '/api/v1/namespaces/default/pods?dryRun=All';
const yaml = { 'content-type': 'application/yaml' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

function configMap(name: string, data: object, metadata: object = {}): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });
}

function keys(count: number, value = ''): object {
  return Object.fromEntries(times(count, (i) => [`k${i}`, value]));
}

function podWith(container: object): string {
  const containers = [{ name: 'c', image: 'i', ...container }];
  return JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } });
}

function managedFields(managers: number, fields: number): object[] {
  return times(managers, (i) => ({
    manager: `m${i}`,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    time: '2026-01-01T00:00:00Z',
    fieldsV1: { 'f:data': Object.fromEntries(times(fields, (j) => [`f:k${i}-${j}`, {}])) },
  }));
}

describe.skipIf(notBuilt)('a heavy request', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-heavy-'));
  let server: ServerProcess;
  let client: Client;

  beforeAll(async () => {
    server = launchServer({ dataDir, nodeArgs: ['--require', probe], ipc: true });
    client = clientFor(await server.ready);
    // Starts a worker thread, and loads what the first requests load.
    await client.send('POST', `${configMaps}?dryRun=All`, configMap('first', keys(5000)));
    await client.send('POST', pods, podWith({}));
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** The longest turn of the server's event loop meanwhile. */
  async function holdOf(run: () => Promise<{ readonly status: number }>): Promise<{ status: number; longest: number }> {
    await server.ask('begin');
    const { status } = await run();
    return { status, longest: await server.ask<number>('longestTurn') };
  }

  /** A collection of garbage may fall into one of three. */
  async function expectShortTurns(status: number, run: () => Promise<{ readonly status: number }>): Promise<void> {
    const found: number[] = [];
    for (let i = 0; i < 3 && found.every((longest) => longest >= longestMs); i++) {
      const hold = await holdOf(run);
      expect(hold.status).toBe(status);
      found.push(hold.longest);
    }
    if (process.env.TSUKUBE_SHOW) console.log(expect.getState().currentTestName, found);
    expect(Math.min(...found)).toBeLessThan(longestMs);
  }

  const many = 60_000;
  it.each([
    ['containers', pods, podWith({}).replace(/\[.*\]/, JSON.stringify(times(many, (i) => ({ name: `c${i}` })))), 422],
    ['quantities', pods, podWith({ resources: { limits: Object.fromEntries(times(many, (i) => [`a.b/c${i}`, `${i}`])) } }), 201],
    ['resource claims', pods, podWith({ resources: { claims: times(many, (i) => ({ name: `c${i}` })) } }), 422],
    ['keys', `${configMaps}?dryRun=All`, configMap('x', keys(200_000)), 201],
    [
      'repeated keys',
      `${configMaps}?dryRun=All`,
      `{"metadata":{"name":"x"},"data":{${times(150_000, (i) => `"a":"${i}"`).join(',')}}}`,
      201,
    ],
    ['managers', `${configMaps}?dryRun=All`, configMap('x', {}, { managedFields: managedFields(900, 60) }), 201],
    ['characters', `${configMaps}?dryRun=All`, configMap('x', { a: 'x'.repeat(1_000_000) }), 201],
  ])('with many %s does not hold the event loop', limit, async (_, path, body, status) => {
    await expectShortTurns(status, () => client.send('POST', path, body));
  });

  it.each([
    ['empty lists', `x: [${'[],'.repeat(1_000_000)}]`, 400],
    ['lines', `metadata: {name: x}\ndata:\n${times(60_000, (i) => `  k${i}: v\n`).join('')}`, 201],
  ])('of YAML with many %s does not hold the event loop', limit, async (_, body, status) => {
    await expectShortTurns(status, () => client.send('POST', `${configMaps}?dryRun=All`, body, yaml));
  });

  describe('for an object that is large', () => {
    const path = `${configMaps}/large`;
    beforeAll(async () => {
      expect((await client.send('POST', configMaps, configMap('large', keys(40_000, 'v')))).status).toBe(201);
    });

    it.each([
      'application/yaml',
      'application/vnd.kubernetes.protobuf',
      'application/json;as=Table;v=v1;g=meta.k8s.io',
      'application/json',
    ])('is short if it reads %s', limit, async (accept) => {
      await expectShortTurns(200, () => client.send('GET', `${path}?pretty=true`, undefined, { accept }));
    });

    it('is short if it patches it', limit, async () => {
      let n = 0;
      const headers = { 'content-type': 'application/merge-patch+json' };
      await expectShortTurns(200, () => client.send('PATCH', path, { data: { k1: `${n++}` } }, headers));
    });

    it('is short if it applies to it, and takes fields away', limit, async () => {
      const send = (body: string) => client.send('PATCH', `${path}?fieldManager=x&force=true`, body, apply);
      await expectShortTurns(200, () => send(configMap('large', keys(30_000, 'w'))));
      await expectShortTurns(200, () => send(configMap('large', { k1: 'w' })));
    });
  });
});
