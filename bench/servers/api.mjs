import https from 'node:https';

/**
 * Simple requests for setup and teardown: versions, namespaces.
 * @typedef {import('../driver/connection.mjs').Endpoint} Endpoint
 * @typedef {{ status: number, text: string }} Answer
 */

const timeout = 30_000;

/** @param {Endpoint} endpoint @param {string} method @param {string} path @param {object} [body] @param {https.Agent | false} [agent] @returns {Promise<Answer>} */
export function request(endpoint, method, path, body, agent = false) {
  const headers = { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) };
  return new Promise((resolve, reject) => {
    const outgoing = https.request({ ...endpoint, method, path, headers, timeout, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
    outgoing.on('error', reject);
    outgoing.end(body && JSON.stringify(body));
  });
}

/** @param {Answer} answer @param {readonly number[]} accepted */
export function expect(answer, accepted) {
  if (!accepted.includes(answer.status)) throw new Error(`the server answered ${answer.status}: ${answer.text.slice(0, 300)}`);
}

/** @param {Endpoint} endpoint @returns {Promise<string>} */
export async function readVersion(endpoint) {
  const answer = await request(endpoint, 'GET', '/version');
  expect(answer, [200]);
  return JSON.parse(answer.text).gitVersion;
}

/** @param {Endpoint} endpoint @param {string} name */
export async function createNamespace(endpoint, name) {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  expect(await request(endpoint, 'POST', '/api/v1/namespaces', body), [201, 409]);
}

/** @param {Endpoint} endpoint @param {string} namespace @param {string} name */
export async function createServiceAccount(endpoint, namespace, name) {
  const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
  expect(await request(endpoint, 'POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, body), [201, 409]);
}

const servedWithinMs = 20_000;

/**
 * Creates a CRD and waits until it is served.
 * @param {Endpoint} endpoint @param {{ spec: { group: string, names: { plural: string }, versions: { name: string }[] } }} definition @param {https.Agent | false} [agent]
 */
export async function createDefinition(endpoint, definition, agent = false) {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await request(endpoint, 'POST', path, definition, agent), [201, 409]);
  const { group, names, versions } = definition.spec;
  const deadline = performance.now() + servedWithinMs;
  for (;;) {
    const { status } = await request(endpoint, 'GET', `/apis/${group}/${versions[0].name}/${names.plural}`, undefined, agent);
    if (status === 200) return;
    if (performance.now() > deadline) throw new Error(`${names.plural}.${group} is not served`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/**
 * Removes the finalizer, because a bare kube-apiserver has no controller to finish the deletion.
 * @param {Endpoint} endpoint @param {string} name
 */
export async function deleteNamespace(endpoint, name) {
  const path = `/api/v1/namespaces/${name}`;
  expect(await request(endpoint, 'DELETE', path), [200, 202, 404, 409]);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } };
  expect(await request(endpoint, 'PUT', `${path}/finalize`, body), [200, 404, 409]);
}
