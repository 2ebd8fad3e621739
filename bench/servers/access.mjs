import https from 'node:https';
import { expect, request } from './api.mjs';

/** @typedef {import('../driver/connection.mjs').Endpoint} Endpoint */

const group = 'rbac.authorization.k8s.io';
const writesAtOnce = 64;
const account = 'reader';

/**
 * Creates a service account that may get ConfigMaps, and `count` bindings in its namespace, all but one for other subjects.
 * @param {Endpoint} endpoint @param {string} namespace @param {number} count
 */
export async function bindReaders(endpoint, namespace, count) {
  const rbac = `/apis/${group}/v1/namespaces/${namespace}`;
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }];
  await create(endpoint, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: account } });
  await create(endpoint, `${rbac}/roles`, { metadata: { name: account }, rules });
  const roleRef = { apiGroup: group, kind: 'Role', name: account };
  /** @param {number} i */
  const bind = (i) => {
    const subject =
      i === 0 ? { kind: 'ServiceAccount', name: account, namespace } : { kind: 'User', apiGroup: group, name: `user-${i}` };
    return create(endpoint, `${rbac}/rolebindings`, { metadata: { name: `reader-${i}` }, roleRef, subjects: [subject] });
  };
  let next = 0;
  const work = async () => {
    while (next < count) await bind(next++);
  };
  await Promise.all(Array.from({ length: writesAtOnce }, work));
}

/**
 * Creates service accounts with all verbs on ConfigMaps.
 * @param {Endpoint} endpoint @param {string} namespace @param {readonly string[]} names
 */
export async function bindEditors(endpoint, namespace, names) {
  const rbac = `/apis/${group}/v1/namespaces/${namespace}`;
  for (const name of names) await create(endpoint, `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } });
  const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['configmaps'] }];
  await create(endpoint, `${rbac}/roles`, { metadata: { name: 'editor' }, rules });
  const roleRef = { apiGroup: group, kind: 'Role', name: 'editor' };
  const subjects = names.map((name) => ({ kind: 'ServiceAccount', name, namespace }));
  await create(endpoint, `${rbac}/rolebindings`, { metadata: { name: 'editors' }, roleRef, subjects });
}

/** @param {Endpoint} endpoint @param {string} namespace @param {string} [name] @returns {Promise<string>} */
export async function tokenOf(endpoint, namespace, name = account) {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await request(endpoint, 'POST', path, { spec: { expirationSeconds: 3600 } });
  expect(answer, [201]);
  return JSON.parse(answer.text).status.token;
}

const agent = new https.Agent({ keepAlive: true, maxSockets: writesAtOnce });

/** @param {Endpoint} endpoint @param {string} path @param {object} object */
async function create(endpoint, path, object) {
  expect(await request(endpoint, 'POST', path, object, agent), [201, 409]);
}
