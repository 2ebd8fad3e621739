import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.ts';
import { hasCommand } from '../support/commands.ts';
import { configMap, newNamespace, own } from '../support/server.ts';
import { notBuilt } from '../support/server-process.ts';
import { clientOf, servingWorkers, startWorkerServer, until, type WorkerServer } from '../support/worker-server.ts';

const count = 3;
const run = promisify(execFile);

describe.skipIf(notBuilt || process.platform !== 'linux')('a server with several processes', () => {
  let folder: string;
  let server: WorkerServer;
  /** One for each process: process 0 writes, the others send writes to it. */
  let clients: Client[];
  let path: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tsukube-workers-'));
    const policy = join(folder, 'policy.yaml');
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n');
    const audit = [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`, '--audit-log-mode=blocking'];
    server = await startWorkerServer(join(folder, 'data'), count, { args: [...audit, '--max-requests-inflight=10'] });
    clients = [];
    for (let i = 0; i < count; i++) clients.push(await clientOf(server.kubeconfig, i));
    path = await newNamespace(clients[1] as Client);
  });
  afterAll(async () => {
    for (const client of clients ?? []) client.close();
    await server?.process.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const client = (i: number) => clients[i % count] as Client;

  it('shares connections evenly', async () => {
    const indexes = await Promise.all(
      Array.from({ length: count * 4 }, async () => {
        const { headers } = await run('curl', ['-sk', '-D-', '-o/dev/null', `${client(0).url}/version`]).then(({ stdout }) => ({
          headers: stdout,
        }));
        return /x-tsukube-worker: (\d)/i.exec(headers)?.[1];
      }),
    );
    expect(new Set(indexes)).toEqual(new Set(['0', '1', '2']));
  });

  it('every process reads the acknowledged writes of the others', async () => {
    for (let i = 0; i < 24; i++) {
      const made = await client(i).send('POST', path, configMap(`read-${i}`));
      expect(made.status).toBe(201);
      const got = await client(i + 1).get(`${path}/read-${i}`);
      expect(got.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
      const listed = await client(i + 2).get(`${path}?${own}`);
      expect(listed.body.items).toHaveLength(i + 1);
      const changed = await client(i + 1).send('PUT', `${path}/read-${i}`, { ...got.body, data: { n: '1' } });
      expect(changed.status).toBe(200);
      expect((await client(i).send('PUT', `${path}/read-${i}`, { ...got.body, data: { n: '2' } })).status).toBe(409);
    }
  });

  it('applies roles and custom resources in every process at once', async () => {
    const group = 'workers.example.com';
    for (let i = 0; i < 3; i++) {
      const plural = `things${i}`;
      const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
      const versions = [{ name: 'v1', served: true, storage: true, schema }];
      const names = { plural, singular: `thing${i}`, kind: `Thing${i}` };
      const definition = { metadata: { name: `${plural}.${group}` }, spec: { group, scope: 'Cluster', names, versions } };
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      expect((await client(i).send('POST', definitions, definition)).status).toBe(201);
      const isEstablished = async () => {
        const { body } = await client(i).get(`${definitions}/${plural}.${group}`);
        const conditions: { type: string; status: string }[] = body.status?.conditions ?? [];
        return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
      };
      await until(isEstablished, 'the definition is established');
      const thing = { apiVersion: `${group}/v1`, kind: `Thing${i}`, metadata: { name: 'one' } };
      expect((await client(i + 1).send('POST', `/apis/${group}/v1/${plural}`, thing)).status).toBe(201);

      const user = { 'impersonate-user': `reader-${i}` };
      expect((await client(i + 1).get(`/apis/${group}/v1/${plural}/one`, user)).status).toBe(403);
      const rbac = '/apis/rbac.authorization.k8s.io/v1';
      const rules = [{ apiGroups: [group], resources: [plural], verbs: ['get'] }];
      await client(i).send('POST', `${rbac}/clusterroles`, { metadata: { name: plural }, rules });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: plural };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `reader-${i}` }];
      const bound = await client(i).send('POST', `${rbac}/clusterrolebindings`, {
        metadata: { name: plural },
        roleRef,
        subjects,
      });
      expect(bound.status).toBe(201);
      expect((await client(i + 1).get(`/apis/${group}/v1/${plural}/one`, user)).status).toBe(200);
    }
  });

  it('gives each service an IP and a node port of its own', async () => {
    const services = path.replace('configmaps', 'services');
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        client(i).send('POST', services, { metadata: { name: `s${i}` }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      ),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 201));
    expect(new Set(all.map(({ body }) => body.spec.clusterIP)).size).toBe(30);
    expect(new Set(all.map(({ body }) => body.spec.ports[0].nodePort)).size).toBe(30);
  });

  it('resumes a watch of one process in another', async () => {
    const { body } = await client(0).get(`${path}?${own}&limit=1`);
    const from = body.metadata.resourceVersion;
    for (let i = 0; i < 9; i++) await client(i).send('POST', path, configMap(`watched-${i}`));
    const first = await client(1).watch(`${path}?watch=1&resourceVersion=${from}`);
    const events = await first.take(4);
    first.close();
    const rest = await client(2).watch(`${path}?watch=1&resourceVersion=${events.at(-1).object.metadata.resourceVersion}`);
    events.push(...(await rest.take(5)));
    rest.close();
    expect(events.map(({ object }) => object.metadata.name)).toEqual(Array.from({ length: 9 }, (_, i) => `watched-${i}`));
  });

  it('names the process in health checks and metrics', async () => {
    for (let i = 0; i < count; i++) {
      const health = await client(i).get('/readyz?verbose');
      expect(health.text).toContain('[+]poststarthook/start-service-ip-repair-controllers ok');
      expect(health.headers['x-tsukube-worker']).toBe(String(i));
      const { text } = await client(i).get('/metrics');
      expect(servingWorkers(text)).toEqual([0, 1, 2]);
      expect(text.match(/^# TYPE apiserver_request_total counter$/gm)).toHaveLength(1);
      // The seats of the flags are divided among the processes.
      const seats = [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{worker="1",.* (\d+)$/gm)];
      expect(seats.reduce((sum, [, number]) => sum + Number(number), 0)).toBeLessThan(100);
      expect((await client(i).get('/metrics/slis')).text).toContain('kubernetes_healthcheck{worker=');
    }
  });

  it('audits the requests of each process in a file of its own', async () => {
    for (let i = 0; i < count; i++) {
      const file = join(folder, i === 0 ? 'audit.log' : `audit.worker-${i}.log`);
      await client(i).get(`/api/v1/namespaces/audited-by-${i}`);
      await until(() => existsSync(file) && readFileSync(file, 'utf8').includes(`audited-by-${i}`), 'the request is audited');
    }
  });

  it('runs the controllers once', async () => {
    const { body } = await client(2).get(`${path}/kube-root-ca.crt`);
    expect(body.metadata.name).toBe('kube-root-ca.crt');
    expect(body.metadata.managedFields).toHaveLength(1);
    const leases = await client(1).get('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases');
    expect(
      leases.body.items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith('apiserver-')),
    ).toHaveLength(1);
  });

  it.skipIf(!hasCommand('kubectl'))('serves kubectl', async () => {
    const file = join(folder, 'data', 'admin.kubeconfig');
    const kubectl = async (...args: string[]) => (await run('kubectl', ['--kubeconfig', file, ...args])).stdout;
    for (let i = 0; i < 2; i++) {
      await kubectl('create', 'configmap', `by-kubectl-${i}`, '--from-literal=a=b');
      expect(await kubectl('get', 'configmap', `by-kubectl-${i}`, '-o', 'jsonpath={.data.a}')).toBe('b');
      expect(await kubectl('delete', 'configmap', `by-kubectl-${i}`)).toContain('deleted');
    }
    expect(await kubectl('get', 'configmaps')).not.toContain('by-kubectl');
  });

  it('restarts a process that is killed, and keeps serving meanwhile', async () => {
    const [victim] = server.workers() as [number];
    process.kill(victim, 'SIGKILL');
    for (let i = 0; i < 10; i++) expect((await client(0).get('/readyz')).status).toBe(200);
    const isBack = async () => servingWorkers((await client(0).get('/metrics')).text).length === count;
    await until(() => !server.workers().includes(victim), 'the process is gone');
    await until(isBack, 'the process is back');
  });

  it('shuts all processes down gracefully', async () => {
    const pids = server.workers();
    const stream = await (await clientOf(server.kubeconfig, 2)).watch(`${path}?watch=1&resourceVersion=0`);
    expect(await server.process.stop()).toBe(0);
    await stream.ended();
    for (const pid of pids) expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});
