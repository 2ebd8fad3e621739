import { readFileSync } from 'node:fs';
import { request } from 'node:https';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {any} body  parsed JSON
 */

/**
 * Sends requests with the client certificate of a kubeconfig.
 * @param {string} kubeconfig
 * @returns {(method: string, path: string, body?: unknown, contentType?: string) => Promise<Answer>}
 */
export function kubeRequest(kubeconfig) {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (/** @type {string} */ name) => new RegExp(`${name}:\\s*["']?([^\\s"']+)`).exec(text)?.[1] ?? '';
  const pem = (/** @type {string} */ name) => Buffer.from(field(name), 'base64');
  const identity = {
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  };
  const server = field('server');
  return (method, path, body, contentType = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) };
      const sent = request(new URL(path, server), { ...identity, method, headers }, (response) => {
        const chunks = /** @type {Buffer[]} */ ([]);
        response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks)) }));
      });
      sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
}

/** @param {Buffer} bytes */
function parse(bytes) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return bytes.toString();
  }
}
