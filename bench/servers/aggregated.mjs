import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, request } from './api.mjs';

/**
 * An API server that both contenders aggregate.
 * @typedef {{ port: number, ca: string, stop: () => void }} AggregatedServer
 * @typedef {import('./launcher.mjs').Contender} Contender
 */

const program = fileURLToPath(new URL('../driver/aggregated-server.mjs', import.meta.url));
const service = 'bench-aggregated';
const namespace = 'default';
const group = 'aggregated.bench.example.com';
const name = `v1.${group}`;
const availableWithinMs = 60_000;

/** The path of its collection. */
export const collection = `/apis/${group}/v1/namespaces/${namespace}/proxied`;

/** @returns {Promise<AggregatedServer>} */
export async function startAggregated() {
  const child = fork(program, [group, `${service}.${namespace}.svc`], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  /** @type {{ port: number, ca: string }} */
  const { port, ca } = await new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(/** @type {{ port: number, ca: string }} */ (message)));
    child.once('exit', (code) => reject(new Error(`the aggregated server ended with ${code}`)));
  });
  return { port, ca, stop: () => child.disconnect() };
}

/** Registers it, and waits until it is available. @param {Contender} contender @param {AggregatedServer} server */
export async function registerAggregated({ endpoint }, { port, ca }) {
  const toThisHost = { metadata: { name: service }, spec: { type: 'ExternalName', externalName: 'localhost' } };
  expect(await request(endpoint, 'POST', `/api/v1/namespaces/${namespace}/services`, toThisHost), [201, 409]);
  const spec = {
    group,
    version: 'v1',
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    caBundle: Buffer.from(ca).toString('base64'),
    service: { namespace, name: service, port },
  };
  const apiServices = '/apis/apiregistration.k8s.io/v1/apiservices';
  expect(await request(endpoint, 'POST', apiServices, { metadata: { name }, spec }), [201]);
  const deadline = performance.now() + availableWithinMs;
  while ((await request(endpoint, 'GET', `${collection}/x`)).status !== 200) {
    if (performance.now() > deadline) throw new Error(`${name} did not become available`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** @param {Contender} contender */
export async function unregisterAggregated({ endpoint }) {
  await request(endpoint, 'DELETE', `/apis/apiregistration.k8s.io/v1/apiservices/${name}`);
  await request(endpoint, 'DELETE', `/api/v1/namespaces/${namespace}/services/${service}`);
}
