import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cachedDataVersionTag } from 'node:v8';
import { Script } from 'node:vm';

/**
 * Runs the program as packages/tsukube/src/bundle/load-program.ts does, exercises the first requests of a server, and saves the code
 * V8 has compiled by then.
 */
const [, , program] = process.argv;
const script = new Script(readFileSync(program, 'latin1'), { filename: program });
const folder = mkdtempSync(join(tmpdir(), 'tsukube-build-'));
const giveUp = setTimeout(() => end(1), 60_000);

const ready = firstLine();
const { runCommand } = script.runInThisContext()(createRequire(program), pathToFileURL(program).href);
void runCommand(['serve', '--data-dir', folder, '--secure-port', '0']);
await ready;
await exercise(readFileSync(join(folder, 'admin.kubeconfig'), 'utf8'));
saveCache(join(dirname(program), 'cache'));
end(0);

/** Resolves when the server is ready; discards its output. @returns {Promise<void>} */
function firstLine() {
  return new Promise((resolve) => {
    process.stdout.write = () => {
      resolve();
      return true;
    };
  });
}

/** @param {string} kubeconfig */
async function exercise(kubeconfig) {
  const server = /server: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  const part = (/** @type {string} */ name) =>
    Buffer.from(new RegExp(`${name}-data: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
  const session = http2.connect(server, {
    ca: part('certificate-authority'),
    cert: part('client-certificate'),
    key: part('client-key'),
  });
  const objects = '/api/v1/namespaces/default/configmaps';
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'build', labels: { a: 'b' } }, data: { a: 'b' } };
  for (let i = 0; i < 3; i++) {
    await ask(session, 'POST', objects, object);
    await ask(session, 'GET', `${objects}/build`);
    await ask(session, 'PATCH', `${objects}/build`, { data: { a: String(i) } }, 'application/merge-patch+json');
    await ask(session, 'GET', `${objects}?labelSelector=a%3Db`);
    await ask(session, 'GET', `${objects}?watch=1&timeoutSeconds=1&resourceVersion=0`);
    await ask(session, 'DELETE', `${objects}/build`);
  }
  for (const path of ['/api', '/apis', '/apis/apps/v1', '/openapi/v2', '/openapi/v3', '/version', '/readyz'])
    await ask(session, 'GET', path);
  session.close();
}

/** @param {http2.ClientHttp2Session} session @param {string} method @param {string} path @param {object} [body] */
function ask(session, method, path, body, type = 'application/json') {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, 'content-type': type });
    stream.on('end', resolve).on('error', reject).resume();
    stream.end(body && JSON.stringify(body));
  });
}

/** @param {string} caches */
function saveCache(caches) {
  const path = join(caches, `${process.version}-${process.arch}-${cachedDataVersionTag()}.cache`);
  mkdirSync(caches, { recursive: true });
  writeFileSync(`${path}.tmp`, script.createCachedData());
  renameSync(`${path}.tmp`, path);
}

/** @param {number} code */
function end(code) {
  clearTimeout(giveUp);
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
