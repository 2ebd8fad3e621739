import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { kubeRequest } from '../harness/kube-request.mjs';
import { Unavailable } from '../harness/suite.mjs';

/**
 * @typedef {import('../harness/suite.mjs').Context} Context
 * @typedef {import('../harness/suite.mjs').TestServer} TestServer
 *
 * @typedef {object} Account  the service account of an aggregated API server
 * @property {string} namespace
 * @property {string} name
 *
 * @typedef {object} Cluster  a server, and commands for it
 * @property {TestServer} server
 * @property {(...args: string[]) => Promise<string>} kubectl
 * @property {ReturnType<typeof kubeRequest>} request
 * @property {Context} context
 */

/** EndpointSlices must not have loopback addresses. @returns {string} an address of this host */
export function hostAddress() {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (found === undefined) throw new Unavailable('this host has no address but loopback');
  return found;
}

/** @param {Context} context @param {TestServer} server @returns {Cluster} */
export function clusterOf(context, server) {
  const env = { KUBECONFIG: server.kubeconfig };
  return {
    server,
    context,
    request: kubeRequest(server.kubeconfig),
    kubectl: async (...args) => withoutWarnings(await context.exec('kubectl', args, { env })),
  };
}

/** @param {string} text */
function withoutWarnings(text) {
  return text.replace(/^Warning: .*\n?/gm, '');
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/**
 * A kubeconfig with a token of the service account, in place of the token that a pod would have.
 * @param {Cluster} cluster @param {Account} account @returns {Promise<string>} its path
 */
export async function kubeconfigOf({ context, kubectl, server }, { namespace, name }) {
  const token = await kubectl('create', 'token', name, '--namespace', namespace);
  const raw = await kubectl('config', 'view', '--raw', '--minify', '--output', 'json');
  const ca = JSON.parse(raw).clusters[0].cluster['certificate-authority-data'];
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token: token.trim() } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  mkdirSync(context.folder, { recursive: true });
  const file = join(context.folder, `${name}.kubeconfig`);
  writeFileSync(file, JSON.stringify(config));
  return file;
}

/**
 * A Service without selector that leads to a port of this host.
 * @param {Cluster} cluster @param {Account} service @param {{ portName: string, port: number }} target
 */
export async function createService({ request }, { namespace, name }, { portName, port }) {
  const spec = { ports: [{ name: portName, port: 443 }] };
  await created(request('POST', `/api/v1/namespaces/${namespace}/services`, { metadata: { name }, spec }));
  const slice = {
    metadata: { name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: portName, port }],
    endpoints: [{ addresses: [hostAddress()] }],
  };
  await created(request('POST', `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, slice));
}

/** @param {Promise<import('../harness/kube-request.mjs').Answer>} answer */
async function created(answer) {
  const { status, body } = await answer;
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
}

/**
 * Starts a program that runs until it is ended. Its output is in the log.
 * @param {Context} context @param {string} command @param {readonly string[]} args @returns {() => void} ends it
 */
export function runInBackground(context, command, args) {
  const running = context.spawn(command, args);
  void drain(running.lines).catch(() => undefined);
  return running.end;
}

/** @param {AsyncIterable<string>} lines */
async function drain(lines) {
  for await (const _ of lines);
}

const waitMs = 60_000;

/** Tries again until nothing is thrown. @template T @param {Context} context @param {() => Promise<T>} attempt @returns {Promise<T>} */
export async function eventually({ signal }, attempt) {
  const until = Date.now() + waitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(500, undefined, { signal });
    }
  }
}
