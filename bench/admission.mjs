/**
 * The processor time of admission: creates over HTTPS in this process, in memory, one at a time, with and without plugins and policies. Unlike
 * the rows of the benchmark it is not affected by other load on the machine.
 *
 *     node bench/admission.mjs
 */
import https from 'node:https';
import { admissionPlugins } from '@tsukube/builtin';
import { startServer } from '@tsukube/server';
import { policyNamed } from './rows/admission.mjs';

const [warmup, operations, rounds, policyCount] = [1500, 1000, 7, 10];
const registration = '/apis/admissionregistration.k8s.io/v1';
const namespace = 'bench';
const allPlugins = admissionPlugins.map(({ name }) => name);

/** @param {string} kubeconfig */
function clientFor(kubeconfig) {
  const data = (/** @type {string} */ name) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
  const tls = { ca: data('certificate-authority-data'), cert: data('client-certificate-data'), key: data('client-key-data') };
  const agent = new https.Agent({ ...tls, keepAlive: true, maxSockets: 1 });
  const url = /server: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  /** @param {string} path @param {object} object @returns {Promise<void>} */
  const create = (path, object) =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const sent = https.request(url + path, { method: 'POST', agent, headers }, (response) => {
        response
          .resume()
          .on('end', () => (response.statusCode === 201 ? resolve() : reject(new Error(`${response.statusCode}`))));
      });
      sent.on('error', reject).end(JSON.stringify(object));
    });
  return { create, close: () => agent.destroy() };
}

const pod = (/** @type {string} */ name) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] } });
const configMap = (/** @type {string} */ name) => ({ metadata: { name }, data: { a: 'x'.repeat(400), b: 'y'.repeat(400) } });

/** @param {import('@tsukube/server').StartOptions} options */
async function serverWith(options) {
  const server = await startServer({ storage: 'memory', securePort: 0, controllers: [], ...options });
  const client = clientFor(server.kubeconfig);
  await client.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await client.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  return { server, client };
}

/** @typedef {Awaited<ReturnType<typeof serverWith>>} Subject */

let count = 0;

/** @param {Subject} subject @param {string} resource @param {(name: string) => object} make @param {number} times @returns {Promise<number>} microseconds for each */
async function timed({ client }, resource, make, times) {
  const begun = process.cpuUsage();
  for (let i = 0; i < times; i++) await client.create(`/api/v1/namespaces/${namespace}/${resource}`, make(`o${count++}`));
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / times;
}

/** The median of differences in alternating rounds. @param {Subject} less @param {Subject} more @param {string} resource @param {(name: string) => object} make */
async function difference(less, more, resource, make) {
  for (const subject of [less, more]) await timed(subject, resource, make, warmup);
  /** @type {number[]} */
  const differences = [];
  for (let i = 0; i < rounds; i++)
    differences.push(-(await timed(less, resource, make, operations)) + (await timed(more, resource, make, operations)));
  return Math.round(differences.sort((a, b) => a - b)[rounds >> 1] ?? 0);
}

const none = await serverWith({ disableAdmissionPlugins: allPlugins });
const all = await serverWith({});
const governed = await serverWith({});
for (let i = 0; i < policyCount; i++) {
  const { policy, binding } = policyNamed(namespace, i);
  await governed.client.create(`${registration}/validatingadmissionpolicies`, policy);
  await governed.client.create(`${registration}/validatingadmissionpolicybindings`, binding);
}
const print = (/** @type {string} */ title, /** @type {number} */ value) =>
  process.stdout.write(`${title.padEnd(50)} ${value} µs\n`);
print('built-in plugins, create of a ConfigMap', await difference(none, all, 'configmaps', configMap));
print('built-in plugins, create of a pod', await difference(none, all, 'pods', pod));
print(`${policyCount} policies, create of a ConfigMap`, await difference(all, governed, 'configmaps', configMap));
for (const { server, client } of [none, all, governed]) {
  client.close();
  await server.close();
}
