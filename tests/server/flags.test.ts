import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@tsukube/apiserver';
import { startServer } from '@tsukube/server';
import { describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

/** Collects the lines of each level. */
function recordingLogger(lines: string[]): Logger {
  const level = (name: string) => (message: string, details?: object) =>
    void lines.push(`${name} ${message} ${JSON.stringify(details ?? {})}`);
  return {
    error: level('error'),
    warn: level('warn'),
    info: level('info'),
    debug: level('debug'),
    enabled: () => true,
    child: () => recordingLogger(lines),
  };
}

describe('flags without effect', () => {
  it('are named in one line of the log', async () => {
    const lines: string[] = [];
    const logger = recordingLogger(lines);
    const server = await startServer({ storage: 'memory', securePort: 0, logger, profiling: true, kubeletTimeout: 7000 });
    await server.close();
    expect(lines.filter((line) => line.includes('without effect'))).toEqual([
      'warn flags of kube-apiserver without effect here {"flags":"--kubelet-timeout --profiling"}',
    ]);
  });
});

describe('admission flags', () => {
  const under = useServer({
    disableAdmissionPlugins: ['ServiceAccount', 'NamespaceLifecycle'],
    defaultNotReadyTolerationSeconds: 7,
    defaultUnreachableTolerationSeconds: 8,
  });

  it('disable plugins, and configure others', async () => {
    const { status, body } = await under.client.send('POST', pods, pod('plain'));
    expect(status).toBe(201);
    expect(body.spec).not.toHaveProperty('serviceAccountName');
    expect(body.spec).not.toHaveProperty('volumes');
    expect(body.spec.tolerations).toMatchObject([
      { key: 'node.kubernetes.io/not-ready', tolerationSeconds: 7 },
      { key: 'node.kubernetes.io/unreachable', tolerationSeconds: 8 },
    ]);
  });

  it('without NamespaceLifecycle, objects can be created in missing namespaces', async () => {
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    expect((await under.client.send('POST', '/api/v1/namespaces/nowhere/configmaps', configMap)).status).toBe(201);
  });

  it('run only the plugins of --admission-control', async () => {
    const server = await startServer({ storage: 'memory', securePort: 0, admissionControl: ['Priority'] });
    const client = clientFor(server.kubeconfig);
    const { body } = await client.send('POST', pods, pod('plain'));
    client.close();
    await server.close();
    expect(body.spec).toHaveProperty('priority', 0);
    expect(body.spec).not.toHaveProperty('tolerations');
    expect(body.spec).not.toHaveProperty('serviceAccountName');
  });
});

describe('/logs', () => {
  it('is not served without --enable-logs-handler', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-logs-'));
    for (const [enableLogsHandler, status] of [
      [undefined, 404],
      [true, 200],
    ] as const) {
      const server = await startServer({ storage: 'memory', dataDir, securePort: 0, enableLogsHandler });
      const client = clientFor(server.kubeconfig);
      expect((await client.get('/logs/')).status).toBe(status);
      expect((await client.get('/')).body.paths.includes('/logs')).toBe(status === 200);
      client.close();
      await server.close();
    }
    rmSync(dataDir, { recursive: true });
  });
});

describe('the kubernetes Service', () => {
  const under = useServer({
    kubernetesServiceNodePort: 30_123,
    endpointReconcilerType: 'none',
    advertiseAddress: '192.0.2.7',
  });

  it('is of type NodePort with --kubernetes-service-node-port', async () => {
    const path = '/api/v1/namespaces/default/services/kubernetes';
    await expect.poll(async () => (await under.client.get(path)).status, { timeout: 15_000 }).toBe(200);
    const { body } = await under.client.get(path);
    expect(body.spec).toMatchObject({ type: 'NodePort', ports: [{ name: 'https', port: 443, nodePort: 30_123 }] });
    await under.client.send(
      'PATCH',
      path,
      { spec: { ports: [{ port: 443, nodePort: 30_124 }] } },
      { 'content-type': 'application/merge-patch+json' },
    );
    await expect.poll(async () => (await under.client.get(path)).body.spec.ports[0].nodePort, { timeout: 15_000 }).toBe(30_123);
  });

  it('has no endpoints with --endpoint-reconciler-type=none', async () => {
    expect((await under.client.get('/api/v1/namespaces/default/endpoints/kubernetes')).status).toBe(404);
  });
});
