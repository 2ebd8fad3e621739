import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { configMap, newNamespace } from '../support/server.ts';

describe('shutdown', () => {
  it('fails readiness first, ends watches cleanly and finishes requests in flight', async () => {
    const server = await startServer({ storage: 'memory', securePort: 0, shutdownDelayDuration: 300 });
    const client = clientFor(server.kubeconfig);
    const path = await newNamespace(client);
    const watch = await client.watch(`${path}?watch=1`);
    const closing = server.close();
    expect((await client.get('/readyz')).status).toBe(500);
    expect((await client.get('/livez')).status).toBe(200);
    expect((await client.send('POST', path, configMap('late'))).status).toBe(201);
    await watch.ended();
    await closing;
    await expect(client.get('/livez')).rejects.toThrow();
    client.close();
  });

  it('loses no data, and the data dir can be opened again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-data-'));
    const options = { dataDir, securePort: 0 };
    const first = await startServer(options);
    await expect(startServer(options)).rejects.toThrow(`in use by another server (pid ${process.pid}, ${first.url}`);
    const client = clientFor(first.kubeconfig);
    const path = await newNamespace(client);
    const written = (await client.send('POST', path, configMap('a', {}, { k: 'v' }))).body;
    client.close();
    await first.close();
    const second = await startServer(options);
    const again = clientFor(second.kubeconfig);
    expect((await again.get(`${path}/a`)).body).toEqual(written);
    const watch = await again.watch(`${path}?watch=1&resourceVersion=${Number(written.metadata.resourceVersion) - 1}`);
    expect((await watch.next()).object).toEqual(written);
    watch.close();
    again.close();
    await second.close();
  });
});
