import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/**
 * @typedef {import('../driver/connection.mjs').Endpoint} Endpoint
 * @typedef {{ [key: string]: unknown }} Fields
 */

/** @param {string} host without brackets */
function isLoopback(host) {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** @param {unknown} entries @param {unknown} name @param {string} kind @returns {Fields} */
function findNamed(entries, name, kind) {
  const found = Array.isArray(entries) ? entries.find((entry) => entry?.name === name) : undefined;
  if (!found?.[kind]) throw new Error(`the kubeconfig has no ${kind} named ${name}`);
  return found[kind];
}

/** @param {Fields} fields @param {string} key @param {string} folder @returns {string} PEM, inline or from the file named */
function readPem(fields, key, folder) {
  const inline = fields[`${key}-data`];
  if (typeof inline === 'string') return Buffer.from(inline, 'base64').toString();
  const file = fields[key];
  if (typeof file === 'string') return readFileSync(resolve(folder, file), 'utf8');
  throw new Error(`the kubeconfig has neither ${key}-data nor ${key}: the benchmark uses client certificates only`);
}

/** @param {unknown} server @returns {{ host: string, port: number }} */
function parseServer(server) {
  const url = new URL(String(server));
  if (url.protocol !== 'https:') throw new Error(`${url.origin} is not served over HTTPS`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!isLoopback(host))
    throw new Error(`${url.origin} is not a loopback address: the benchmark loads no server but on this machine`);
  return { host, port: Number(url.port || 443) };
}

/** @param {string} file @returns {Endpoint} */
export function readKubeconfig(file) {
  const config = /** @type {Fields} */ (parse(readFileSync(file, 'utf8')));
  const context = findNamed(config.contexts, config['current-context'], 'context');
  const cluster = findNamed(config.clusters, context.cluster, 'cluster');
  const user = findNamed(config.users, context.user, 'user');
  const folder = dirname(resolve(file));
  return {
    ...parseServer(cluster.server),
    ca: readPem(cluster, 'certificate-authority', folder),
    cert: readPem(user, 'client-certificate', folder),
    key: readPem(user, 'client-key', folder),
  };
}
