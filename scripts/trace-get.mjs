/** Prints the source files whose functions run for one GET of a ConfigMap. Needs a build (`node scripts/build.mjs`). */
import { Agent, request as httpsRequest } from 'node:https';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

const { startServer } = await import(pathToFileURL(join(root, 'packages/server/dist/index.js')).href);
const server = await startServer({ storage: 'memory', securePort: 0 });
const agent = new Agent({
  keepAlive: true,
  maxSockets: 1,
  ca: fromKubeconfig('certificate-authority-data'),
  cert: fromKubeconfig('client-certificate-data'),
  key: fromKubeconfig('client-key-data'),
});
const collection = '/api/v1/namespaces/default/configmaps';
await send('POST', collection, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'traced' }, data: { key: 'value' } });
for (let warmUp = 0; warmUp < 3; warmUp++) await send('GET', `${collection}/traced`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const runs = [];
for (let run = 0; run < 5; run++) runs.push(await filesOfGet());
// Timers and controllers run between requests: only files that every run has belong to the request.
const files = [...runs[0]].filter((file) => runs.every((others) => others.has(file)));
console.log(`${files.sort().join('\n')}\n${files.length} files`);
agent.destroy();
await server.close();
process.exit(0);

async function filesOfGet() {
  await session.post('Profiler.takePreciseCoverage');
  await send('GET', `${collection}/traced`);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0));
  return new Set(called.flatMap(({ url }) => sourceOf(url) ?? []));
}

function sourceOf(url) {
  const path = /\/(packages\/[^/]+)\/dist\/(.*)\.js$/.exec(url);
  return path ? `${path[1]}/src/${path[2]}.ts` : undefined;
}

function fromKubeconfig(field) {
  return Buffer.from(new RegExp(`${field}: (\\S+)`).exec(server.kubeconfig)[1], 'base64').toString();
}

function send(method, path, body) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(server.url + path, { method, agent, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode < 300 ? resolve() : reject(new Error(`${method} ${path}: ${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
