import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from 'tsukube';
import { beforeAll, describe, expect, it } from 'vitest';

// Loading the sources takes longer than any test.
beforeAll(async () => (await startServer()).close());

describe('a server in a test', () => {
  it('is closed at the end of its block', async () => {
    let url: string;
    {
      await using server = await startServer();
      url = server.url;
      expect((await server.fetch('/readyz')).status).toBe(200);
    }
    await expect(connect(url)).rejects.toThrow('ECONNREFUSED');
  });

  it('can be closed twice, and leaves no listener behind', async () => {
    const server = await startServer();
    await server.close();
    await server.close();
    await expect(connect(server.url)).rejects.toThrow('ECONNREFUSED');
  });

  it('provides URL and credentials for any client', async () => {
    await using server = await startServer();
    const { server: url, ca, cert, key, cluster, user } = server.client();
    expect(url).toBe(server.url);
    expect(Buffer.from(cluster.caData, 'base64').toString()).toBe(ca);
    expect(Buffer.from(user.keyData, 'base64').toString()).toBe(key);
    expect(await connect(`${url}/api/v1/namespaces/default`, { ca, cert, key })).toBe(200);
  });

  it('writes its kubeconfig with mode 0600', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-kit-'));
    try {
      await using server = await startServer();
      const path = await server.writeKubeconfig(join(folder, 'new', 'kubeconfig'));
      expect(readFileSync(path, 'utf8')).toBe(server.kubeconfig);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('uses the given logger', async () => {
    const lines: string[] = [];
    const server = await startServer({ logger: { info: (message) => lines.push(message) } });
    await server.close();
    expect(lines).toContain('serving');
  });

  it('streams response bodies with fetch', async () => {
    await using server = await startServer();
    const gone = new AbortController();
    const path = '/api/v1/namespaces/default/configmaps';
    const watch = await server.fetch(`${path}?watch=1`, { signal: gone.signal });
    const created = await server.fetch(path, { method: 'POST', body: configMap('seen') });
    expect(created.status).toBe(201);
    expect(created.headers.get('content-type')).toBe('application/json');
    let text = '';
    for await (const chunk of watch.body as AsyncIterable<Uint8Array>) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"seen"')) break;
    }
    gone.abort();
  });

  it('ends watches when it closes', async () => {
    const server = await startServer();
    const watch = await server.fetch('/api/v1/namespaces?watch=1');
    const ended = watch.text();
    await server.close();
    expect(await ended).toContain('"name":"default"');
  });

  it('creates namespaces with unique names', async () => {
    await using server = await startServer();
    const first = await server.namespace();
    const second = await server.namespace('orders');
    expect(first.name).toMatch(/^test-[a-z0-9]{5}$/);
    expect(`${second}`).toMatch(/^orders-[a-z0-9]{5}$/);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    const pods = `/api/v1/namespaces/${first}/pods`;
    expect((await server.fetch(pods, { method: 'POST', body: pod })).status).toBe(201);
    await first.delete();
    expect((await server.fetch(`/api/v1/namespaces/${first}`)).status).toBe(404);
    expect((await server.fetch(`${pods}/a`)).status).toBe(404);
    expect((await server.fetch(`/api/v1/namespaces/${second}/serviceaccounts/default`)).status).toBe(200);
  });

  it('can run without controllers, as in envtest', async () => {
    await using server = await startServer({ controllers: [], disableAdmissionPlugins: ['ServiceAccount'] });
    const { name } = await server.namespace();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: name },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    };
    await server.apply(pod);
    expect((await server.fetch(`/api/v1/namespaces/${name}/serviceaccounts/default`)).status).toBe(404);
    await server.reset();
    expect((await server.fetch(`/api/v1/namespaces/${name}`)).status).toBe(404);
  });

  it('refuses pods immediately if no controller creates their ServiceAccount', async () => {
    await using server = await startServer({ controllers: ['-serviceaccount', '*'] });
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } };
    await expect(server.apply(pod)).rejects.toThrow('manifests, Pod a: pods "a" is forbidden: error looking up service account');
  });

  it('reports why a namespace could not be created', async () => {
    await using server = await startServer();
    await expect(server.namespace('No_Name')).rejects.toThrow(/namespace\("No_Name"\): Namespace .* is invalid/);
  });
});

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

function connect(url: string, tls: object = { rejectUnauthorized: false }): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...tls, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}
