import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { distinguishedName, issueCertificate, keyIdentifier } from '@tsukube/machinery/pki';
import { createService, eventually, freePort, hostAddress, kubeconfigOf, runInBackground } from './backend.mjs';

/** @typedef {import('./backend.mjs').Cluster} Cluster */

const account = { namespace: 'kube-system', name: 'metrics-server' };

/** Cumulative seconds of CPU time: a tenth of a core for the node, a twentieth for the container. @param {number} started */
function resourceMetrics(started) {
  const now = Date.now();
  const seconds = (now - started) / 1000;
  const container = '{container="c",namespace="default",pod="web"}';
  return [
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${seconds / 10} ${now}`,
    '# TYPE node_memory_working_set_bytes gauge',
    `node_memory_working_set_bytes 1048576000 ${now}`,
    '# TYPE container_cpu_usage_seconds_total counter',
    `container_cpu_usage_seconds_total${container} ${seconds / 20} ${now}`,
    '# TYPE container_memory_working_set_bytes gauge',
    `container_memory_working_set_bytes${container} 52428800 ${now}`,
    '# TYPE container_start_time_seconds gauge',
    `container_start_time_seconds${container} ${started / 1000} ${now}`,
    '',
  ].join('\n');
}

function selfSignedCertificate() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = distinguishedName({ commonName: 'metered' });
  const day = 86_400_000;
  const [notBefore, notAfter] = [new Date(Date.now() - day), new Date(Date.now() + day)];
  /** @type {import('@tsukube/machinery/pki').Use} */
  const use = { for: 'server', hosts: ['metered'] };
  const issuer = { subject, key: privateKey, keyIdentifier: keyIdentifier(publicKey) };
  const cert = issueCertificate({ subject, publicKey, notBefore, notAfter, use }, issuer);
  return { cert, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}

/** A kubelet that answers /metrics/resource. @returns {Promise<import('node:https').Server>} */
function startKubelet() {
  const started = Date.now() - 60_000;
  const server = createServer(selfSignedCertificate(), ({ url }, response) => {
    if (url !== '/metrics/resource') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(resourceMetrics(started));
  });
  return new Promise((resolve) => server.listen(0, hostAddress(), () => resolve(server)));
}

/** @param {Cluster} cluster @param {number} port  of the kubelet */
async function createNodeAndPod({ request }, port) {
  await request('POST', '/api/v1/nodes', { metadata: { name: 'metered' } });
  const status = {
    addresses: [{ type: 'InternalIP', address: hostAddress() }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    capacity: { cpu: '2', memory: '4Gi' },
    allocatable: { cpu: '2', memory: '4Gi' },
    conditions: [{ type: 'Ready', status: 'True' }],
  };
  await request('PATCH', '/api/v1/nodes/metered/status', { status }, 'application/merge-patch+json');
  const spec = { nodeName: 'metered', containers: [{ name: 'c', image: 'i' }] };
  await request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await request('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'web' }, spec });
  const running = { status: { phase: 'Running' } };
  await request('PATCH', '/api/v1/namespaces/default/pods/web/status', running, 'application/merge-patch+json');
}

/**
 * Runs metrics-server with the manifests of its repository, except for the Deployment and the Service, and a stand-in kubelet.
 * @param {Cluster} cluster @param {{ program: string, source: string }} built @returns {Promise<() => void>} stops it
 */
export async function startMetricsServer(cluster, { program, source }) {
  const { kubectl, context } = cluster;
  const file = (/** @type {string} */ name) => join(source, 'manifests', 'base', `${name}.yaml`);
  await kubectl('apply', '-f', file('rbac'));
  const port = await freePort();
  await createService(cluster, account, { portName: 'https', port });
  const kubeconfig = await kubeconfigOf(cluster, account);
  const certificates = mkdtempSync(join(tmpdir(), 'tsukube-aggregation-'));
  const delegation = ['', 'authentication-', 'authorization-'].map((prefix) => `--${prefix}kubeconfig=${kubeconfig}`);
  const kubelets = [
    '--kubelet-insecure-tls',
    '--kubelet-use-node-status-port',
    '--metric-resolution=10s',
    '--kubelet-request-timeout=5s',
  ];
  const end = runInBackground(context, program, [
    `--secure-port=${port}`,
    `--cert-dir=${certificates}`,
    ...delegation,
    ...kubelets,
  ]);
  const kubelet = await startKubelet();
  await createNodeAndPod(cluster, /** @type {import('node:net').AddressInfo} */ (kubelet.address()).port);
  await kubectl('apply', '-f', file('apiservice'));
  return () => {
    end();
    kubelet.closeAllConnections();
    kubelet.close();
    rmSync(certificates, { recursive: true, force: true });
  };
}

/** @param {Cluster} cluster @returns {Record<string, () => Promise<void>>} */
export function metricsServerTrials({ kubectl, context }) {
  return {
    'the APIService becomes available': () =>
      eventually(context, async () => {
        assert.match(await kubectl('get', 'apiservice', 'v1beta1.metrics.k8s.io'), /kube-system\/metrics-server +True /);
      }),
    'kubectl top nodes': () =>
      eventually(context, async () => assert.match(await kubectl('top', 'nodes'), /\nmetered +100m +5% +1000Mi /)),
    'kubectl top pods': () => eventually(context, async () => assert.match(await kubectl('top', 'pods'), /\nweb +50m +50Mi/)),
  };
}
