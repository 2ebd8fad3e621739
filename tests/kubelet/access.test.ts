import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpsGet } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { ContainerLog } from '../support/kubelet/index.ts';
import { create, hostAddress, isPeer, useNode } from './setup.ts';

/** Authorization and audit of connections to kubelets. The expected events are those of kube-apiserver 1.36. */

const folder = mkdtempSync(join(tmpdir(), 'tsukube-access-'));
/** AUDIT_LOG: the log of a peer, whose policy must have a rule like that below. */
const log = process.env.AUDIT_LOG ?? join(folder, 'audit.log');
const policy = join(folder, 'policy.yaml');
writeFileSync(
  policy,
  `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: Metadata, resources: [{group: "", resources: ["pods/*", "services/proxy", "nodes/proxy"]}]}
- {level: None}
`,
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const host = hostAddress ?? '127.0.0.1';
const t = useNode({ host, hosts: [host] }, { auditPolicyFile: policy, auditLogPath: log });
beforeAll(() => {
  const line = { at: Date.now(), text: 'line' };
  t.kubelet.logs.set(`${t.namespace}/web/c`, new ContainerLog([line]));
});

type Headers = Record<string, string>;
/** Sends a request and closes the connection when it has been answered. Resolves with the status code. */
type Send = (path: string, headers: Headers) => Promise<number>;

const plain =
  (method: string): Send =>
  async (path, headers) =>
    (await t.client.send(method, path, undefined, headers)).status;

/** Reads the first bytes of a response that does not end by itself. */
const follow: Send = (path, headers) =>
  new Promise((resolve, reject) => {
    const sent = httpsGet(t.client.url + path, { ...t.client.tls, headers }, (response) => {
      response.once('data', () => {
        resolve(response.statusCode ?? 0);
        sent.destroy();
      });
    });
    sent.on('error', reject);
  });

const upgrade =
  (method: string, asked: Headers): Send =>
  (path, headers) =>
    new Promise((resolve, reject) => {
      const { hostname, port, host } = new URL(t.client.url);
      const all = { host, connection: 'Upgrade', 'content-length': '0', ...asked, ...headers };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      const options = { host: hostname, port: Number(port), ...t.client.tls, ALPNProtocols: ['http/1.1'] };
      const socket = connect(options, () => socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`));
      socket.once('data', (bytes) => {
        resolve(Number(/^HTTP\/1.1 (\d+)/.exec(bytes.toString('latin1'))?.[1]));
        socket.destroy();
      });
      socket.on('error', reject);
    });

const spdy = (protocol: string) => upgrade('POST', { upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol });
const webSocket = (protocol: string) =>
  upgrade('GET', {
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    'sec-websocket-protocol': protocol,
  });

interface Case {
  readonly send: Send;
  readonly path: () => string;
  /** Status code of an allowed request. */
  readonly code: number;
  /** The code in audit events of kube-apiserver, which takes the connection over before the kubelet refuses the upgrade. */
  readonly peerCode?: number;
  /** Permissions as verb and resource. The first one is the verb of the request. */
  readonly needs: readonly [string, ...string[]];
}

const connection = (subresource: string, query: string) => () => `${t.pods}/web/${subresource}?${query}`;
const exec = connection('exec', 'command=true&stdout=true');
const attach = connection('attach', 'stdout=true');
const portForward = connection('portforward', 'ports=80');
const node = () => `/api/v1/nodes/${t.node}/proxy/echo`;
const service = () => `/api/v1/namespaces/${t.namespace}/services/none/proxy/x`;

const cases: Record<string, Case> = {
  'exec over SPDY': { send: spdy('v4.channel.k8s.io'), path: exec, code: 101, needs: ['create pods/exec'] },
  'exec over WebSocket': {
    send: webSocket('v5.channel.k8s.io'),
    path: exec,
    code: 101,
    needs: ['get pods/exec', 'create pods/exec'],
  },
  'exec over WebSocket v4': {
    send: webSocket('v4.channel.k8s.io'),
    path: exec,
    code: 101,
    needs: ['get pods/exec', 'create pods/exec'],
  },
  'attach over SPDY': { send: spdy('v4.channel.k8s.io'), path: attach, code: 101, needs: ['create pods/attach'] },
  'attach over WebSocket': {
    send: webSocket('v5.channel.k8s.io'),
    path: attach,
    code: 101,
    needs: ['get pods/attach', 'create pods/attach'],
  },
  'port-forward over SPDY': {
    send: spdy('portforward.k8s.io'),
    path: portForward,
    code: 101,
    needs: ['create pods/portforward'],
  },
  'port-forward over WebSocket': {
    send: webSocket('SPDY/3.1+portforward.k8s.io'),
    path: portForward,
    code: 101,
    needs: ['get pods/portforward', 'create pods/portforward'],
  },
  logs: { send: plain('GET'), path: connection('log', ''), code: 200, needs: ['get pods/log'] },
  'logs -f': { send: follow, path: connection('log', 'follow=true'), code: 200, needs: ['get pods/log'] },
  'GET of a node': { send: plain('GET'), path: node, code: 200, needs: ['get nodes/proxy'] },
  'PUT to a node': { send: plain('PUT'), path: node, code: 200, needs: ['update nodes/proxy'] },
  'upgrade at a node': {
    send: upgrade('GET', { upgrade: 'echo' }),
    path: node,
    code: 404,
    peerCode: 101,
    needs: ['get nodes/proxy'],
  },
  'DELETE at a pod': { send: plain('DELETE'), path: () => `${t.pods}/none/proxy/x`, code: 404, needs: ['delete pods/proxy'] },
  'POST to a service': { send: plain('POST'), path: service, code: 404, needs: ['create services/proxy'] },
};

let count = 0;

/** The audit events of a request, when it is complete. */
async function eventsOf(id: string): Promise<Any[]> {
  const events = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(`"auditID":"${id}"`))
      .map((line) => JSON.parse(line));
  await expect.poll(() => events().map(({ stage }) => stage), { timeout: 10_000 }).toContain('ResponseComplete');
  return events();
}

const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'];

describe.runIf(hostAddress).each(Object.entries(cases))('%s', (name, { send, path, code, peerCode, needs }) => {
  const [verb, resource = '', subresource] = needs[0].split(/[ /]/);
  const user = `${name.replaceAll(' ', '-')}-${process.pid}`;

  async function ask(headers: Headers = {}) {
    const id = `${t.namespace}-${count++}`;
    const status = await send(path(), { 'audit-id': id, ...headers });
    return { status, events: await eventsOf(id) };
  }

  /** Permits everything in the list, and nothing else. */
  async function permit(permissions: readonly string[]): Promise<void> {
    const rules = permissions
      .map((each) => each.split(' '))
      .map(([verb, at]) => ({ apiGroups: [''], resources: [at], verbs: [verb] }));
    const metadata = { name: `${t.namespace}-${user}`.toLowerCase() };
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' };
    const path = '/apis/rbac.authorization.k8s.io/v1';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name };
    await t.client.send('DELETE', `${path}/clusterroles/${metadata.name}`);
    await create(t.client, `${path}/clusterroles`, { ...rbac, kind: 'ClusterRole', metadata, rules });
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await create(t.client, `${path}/clusterrolebindings`, { ...rbac, kind: 'ClusterRoleBinding', metadata, roleRef, subjects });
  }

  const refusal = (permission: string) => {
    const [verb, at] = permission.split(' ');
    return `User "${user}" cannot ${verb} resource "${at}" in API group ""`;
  };

  it('is audited', async () => {
    const { status, events } = await ask();
    expect(status).toBe(code);
    const audited = isPeer ? (peerCode ?? code) : code;
    expect(events.map(({ stage, responseStatus }) => [stage, responseStatus?.code])).toEqual([
      ['RequestReceived', undefined],
      ['ResponseStarted', audited],
      ['ResponseComplete', audited],
    ]);
    for (const event of events) expect(event).toMatchObject({ verb, objectRef: { resource, subresource } });
    expect(events.at(-1)?.annotations).toMatchObject({ 'authorization.k8s.io/decision': 'allow' });
  });

  it('needs its permissions', async () => {
    await permit([]);
    const { status, events } = await ask({ 'impersonate-user': user });
    expect([status, events.map(({ stage }) => stage)]).toEqual([403, stages]);
    const { responseStatus, annotations, impersonatedUser } = events.at(-1) ?? {};
    expect(responseStatus).toMatchObject({ status: 'Failure', reason: 'Forbidden', code: 403 });
    expect(responseStatus.message).toContain(refusal(needs[0]));
    expect(annotations).toMatchObject({ 'authorization.k8s.io/decision': 'forbid' });
    expect(impersonatedUser).toMatchObject({ username: user });
    for (const absent of needs) {
      await permit(needs.filter((each) => each !== absent));
      const message = async () => (await ask({ 'impersonate-user': user })).events.at(-1)?.responseStatus.message;
      await expect
        .poll(message, { timeout: 10_000 })
        .toContain(absent === needs[0] ? refusal(absent) : 'pods "web" is forbidden: ');
    }
    await permit(needs);
    await expect.poll(async () => (await ask({ 'impersonate-user': user })).status, { timeout: 10_000 }).toBe(code);
  });
});
