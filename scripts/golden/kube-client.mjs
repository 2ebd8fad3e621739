import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { parse } from 'yaml';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {string} type  Content-Type without spaces
 * @property {string} [warning]
 * @property {any} [body]  parsed if it is JSON, otherwise text
 */

/**
 * @typedef {object} KubeClient
 * @property {(request: { method?: string, path: string, headers?: Record<string, string>, body?: unknown }) => Promise<Answer>} send
 * @property {(path: string, headers?: Record<string, string>) => Promise<http.IncomingMessage>} stream
 * @property {() => void} close
 */

/**
 * A client for the current context of a kubeconfig.
 * @param {string} kubeconfig  its text
 * @returns {KubeClient}
 */
export function kubeClient(kubeconfig) {
  const { server, tls, identity, token } = credentialsIn(kubeconfig);
  const library = server.protocol === 'https:' ? https : http;
  const agent = new library.Agent({ keepAlive: true, ...tls, ...identity });
  // A request with its own credentials is sent without ours.
  const anonymous = new library.Agent({ keepAlive: true, ...tls });

  /** @param {string} method @param {string} path @param {Record<string, string>} given @param {unknown} body @returns {Promise<http.IncomingMessage>} */
  const open = (method, path, given = {}, body = undefined) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const headers = headersOf(given, payload, token);
      const options = { method, headers, agent: 'authorization' in given ? anonymous : agent };
      library.request(new URL(path, server), options, resolve).on('error', reject).end(payload);
    });

  return {
    send: async ({ method = 'GET', path, headers, body }) => answerOf(await open(method, path, headers, body)),
    stream: (path, headers) => open('GET', path, headers),
    close() {
      agent.destroy();
      anonymous.destroy();
    },
  };
}

/** @param {string} kubeconfig */
function credentialsIn(kubeconfig) {
  const config = parse(kubeconfig);
  const named = (/** @type {{ name: string }[]} */ list, /** @type {string} */ name) => list.find((each) => each.name === name);
  const { context } = /** @type {any} */ (named(config.contexts, config['current-context']));
  const { cluster } = /** @type {any} */ (named(config.clusters, context.cluster));
  const { user = {} } = /** @type {any} */ (named(config.users, context.user) ?? {});
  const load = (/** @type {string | undefined} */ data, /** @type {string | undefined} */ file) =>
    data ? Buffer.from(data, 'base64') : file && readFileSync(file);
  return {
    server: new URL(cluster.server),
    tls: {
      ca: load(cluster['certificate-authority-data'], cluster['certificate-authority']),
      rejectUnauthorized: !cluster['insecure-skip-tls-verify'],
    },
    identity: {
      cert: load(user['client-certificate-data'], user['client-certificate']),
      key: load(user['client-key-data'], user['client-key']),
    },
    token: /** @type {string | undefined} */ (user.token),
  };
}

/** @param {Record<string, string>} given @param {string | undefined} payload @param {string | undefined} token */
function headersOf(given, payload, token) {
  /** @type {Record<string, string | number>} */
  const headers = { accept: 'application/json', ...given };
  if (headers.authorization === '') delete headers.authorization;
  else if (token && !headers.authorization) headers.authorization = `Bearer ${token}`;
  if (payload !== undefined) {
    headers['content-type'] ??= 'application/json';
    headers['content-length'] = Buffer.byteLength(payload);
  }
  return headers;
}

/** @param {http.IncomingMessage} response @returns {Promise<Answer>} */
async function answerOf(response) {
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const type = (response.headers['content-type'] ?? '').replace(/\s/g, '');
  const { warning } = response.headers;
  return { status: response.statusCode ?? 0, type, ...(warning && { warning }), body: type.includes('json') ? json(text) : text };
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
