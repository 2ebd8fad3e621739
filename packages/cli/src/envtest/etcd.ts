import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { resolve } from 'node:path';

/**
 * Stand-in for etcd in envtest. It stores nothing: it answers health checks and tells the API server that is started with its URL
 * which data dir to use. So the data survives restarts of the API server and is deleted with envtest's data dir. It is a separate
 * program because the bundle would take longer to load.
 */
interface Settings {
  readonly dataDir: string;
  readonly clientUrls: readonly URL[];
}

/** Header of every response with the data dir. A real etcd does not send it. */
export const dataDirHeader = 'tsukube-data-dir';

const defaultUrl = 'http://localhost:2379';

/** Like in etcd, flags take precedence over the environment. Other settings are ignored. */
export function readEtcdSettings(argv: readonly string[], env: NodeJS.ProcessEnv): Settings {
  const value = (flag: string) => flagValue(argv, flag) ?? env[`ETCD_${flag.toUpperCase().replaceAll('-', '_')}`];
  const urls = (value('listen-client-urls') ?? defaultUrl).split(',').map((text) => new URL(text.trim()));
  const secure = urls.find(({ protocol }) => protocol !== 'http:');
  if (secure)
    throw new Error(`cannot listen on ${secure.href}: the stand-in speaks http only; tsukube envtest --etcd real uses etcd`);
  return { dataDir: resolve(value('data-dir') ?? 'default.etcd'), clientUrls: urls };
}

function flagValue(argv: readonly string[], flag: string): string | undefined {
  let found: string | undefined;
  for (const [index, word] of argv.entries()) {
    const [, name, inline] = /^--?([\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === flag) found = inline ?? argv[index + 1];
  }
  return found;
}

const bodies: Readonly<Record<string, string>> = {
  '/health': '{"health":"true","reason":""}',
  '/livez': 'ok',
  '/readyz': 'ok',
  '/version': '{"etcdserver":"3.6.0","etcdcluster":"3.6.0"}',
};

function answer(dataDir: string): RequestListener {
  return ({ url = '/' }, response) => {
    const body = bodies[url.split('?')[0] ?? ''];
    response.writeHead(body === undefined ? 404 : 200, {
      'content-type': 'application/json',
      [dataDirHeader]: encodeURIComponent(dataDir),
    });
    response.end(body ?? '404 page not found\n');
  };
}

export async function startStandIn({ dataDir, clientUrls }: Settings): Promise<readonly Server[]> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return Promise.all(clientUrls.map(({ hostname, port }) => listen(answer(dataDir), hostname, Number(port || 80))));
}

function listen(listener: RequestListener, hostname: string, port: number): Promise<Server> {
  return new Promise((resolved, reject) => {
    const server = createServer(listener).on('error', reject);
    server.listen(port, hostname.replace(/^\[|\]$/g, ''), () => resolved(server));
  });
}
