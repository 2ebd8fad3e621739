import { createServer } from 'node:https';
import { memoryFiles, openAuthority, openLeaf } from '@tsukube/machinery/pki';

/**
 * A webhook that allows every request, in a process of its own. Sends its port and CA bundle to the parent process.
 */

const host = '127.0.0.1';
const files = memoryFiles();
const authority = openAuthority(files, 'ca', 'bench webhook', new Date());
const subject = { commonName: host };
const { certificate, key } = openLeaf(
  files,
  { name: 'webhook', subject, use: { for: 'server', hosts: [host] } },
  authority,
  new Date(),
);

const server = createServer({ cert: certificate, key }, (request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => {
    text += part;
  });
  request.on('end', () => {
    const { apiVersion, kind, request: review } = JSON.parse(text);
    const body = JSON.stringify({ apiVersion, kind, response: { uid: review.uid, allowed: true } });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});
server.listen(0, host, () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.({ port, caBundle: Buffer.from(authority.pem).toString('base64') });
});
process.on('disconnect', () => process.exit());
