import { get } from 'node:http';
import { join } from 'node:path';
import type { ServeOptions } from '@tsukube/server/config';
import { dataDirHeader } from '../envtest/etcd.ts';
import { serveCommand } from './serve.ts';

const askTimeoutMs = 2_000;

/**
 * Serves like a bare kube-apiserver: no controllers, and no files outside of the folders named by flags. If the etcd URL is that
 * of the envtest stand-in, the database is in the stand-in's data dir.
 */
export function kubeApiserver(argv: readonly string[]): Promise<number> {
  return serveCommand(['--controllers=', '--client-key-algorithm=ecdsa', ...argv], withDataDir);
}

async function withDataDir(options: ServeOptions): Promise<ServeOptions> {
  const [endpoint] = options.etcdServers;
  const ofStandIn = endpoint === undefined ? undefined : await standInDataDir(endpoint);
  if (ofStandIn !== undefined) return { ...relocated(options, ofStandIn), storage: 'lmdb', etcdServers: [], unsafeNoFsync: true };
  const { certDir } = options;
  return certDir === undefined || certDir === inside(options, 'pki') ? options : relocated(options, certDir);
}

/** Moves the data dir and its default contents below another folder. */
function relocated(options: ServeOptions, parent: string): ServeOptions {
  const dataDir = join(parent, 'tsukube');
  const moved = (path: string | undefined, name: string) => (path === inside(options, name) ? join(dataDir, name) : path);
  return {
    ...options,
    dataDir,
    certDir: moved(options.certDir, 'pki'),
    kubeconfigOut: moved(options.kubeconfigOut, 'admin.kubeconfig'),
  };
}

function inside({ dataDir }: ServeOptions, name: string): string | undefined {
  return dataDir === undefined ? undefined : join(dataDir, name);
}

/** Undefined if there is a real etcd at the URL, or nothing yet. */
function standInDataDir(endpoint: string): Promise<string | undefined> {
  if (!/^(http:|[^:/]+:\d)/.test(endpoint)) return Promise.resolve(undefined);
  const url = new URL('/health', endpoint.includes('://') ? endpoint : `http://${endpoint}`);
  return new Promise((resolve) => {
    const request = get(url, { timeout: askTimeoutMs, agent: false }, (response) => {
      response.resume();
      const value = response.headers[dataDirHeader];
      resolve(typeof value === 'string' ? decodeURIComponent(value) : undefined);
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(undefined));
  });
}
