import { memoryFiles, openAuthority, openLeaf } from '@tsukube/machinery/pki';
import { listen } from '@tsukube/transport';
import { encodeConfigMap } from './config-map.mjs';

/**
 * An aggregated API server in a process of its own, as fast as one can be: it answers every get with the same object of 1 KB, and
 * every watch with one event. Sends its port and CA to the parent process.
 */

const [host, group] = ['127.0.0.1', process.argv[2]];
const serverName = process.argv[3];
const files = memoryFiles();
const authority = openAuthority(files, 'ca', 'bench aggregation', new Date());
const subject = { commonName: serverName };
const use = /** @type {const} */ ({ for: 'server', hosts: [serverName, host] });
const { certificate, key } = openLeaf(files, { name: 'server', subject, use }, authority, new Date());

const verbs = ['get', 'list', 'watch'];
const resources = [{ name: 'proxied', singularName: 'proxy', namespaced: true, kind: 'Proxied', verbs }];
const discovery = JSON.stringify({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources });
const object = encodeConfigMap('proxied', 0, '2026-01-01T00:00:00Z');
const event = Buffer.concat([Buffer.from('{"type":"ADDED","object":'), object, Buffer.from('}\n')]);
const type = 'application/json';

/** @param {import('@tsukube/transport').Exchange} exchange @returns {import('@tsukube/transport').Answer} */
function answer({ url }) {
  if (url === `/apis/${group}/v1`) return { kind: 'bytes', status: 200, type, body: discovery };
  if (!url.includes('/proxied')) return { kind: 'bytes', status: 404, type: 'text/plain', body: '' };
  if (!url.includes('watch=')) return { kind: 'bytes', status: 200, type, body: object };
  return { kind: 'stream', status: 200, type, start: (sink) => sink.write([event], event) };
}

const listener = await listen({
  host,
  port: 0,
  tls: { cert: certificate, key },
  maxStreamsPerConnection: 250,
  handle: answer,
});
process.send?.({ port: listener.address.port, ca: authority.pem });
process.on('disconnect', () => process.exit());
