import { get } from 'node:http';
import { join } from 'node:path';
import type { ServeOptions } from '@tsukube/server/config';
import { dataDirHeader } from '../envtest/etcd.ts';
import { serve } from './serve.ts';

const askTimeoutMs = 2_000;

/**
 * Serves as a bare kube-apiserver does: no controllers, and nothing is kept outside the folders that the flags name. With the
 * URL of the stand-in for etcd, the database is in the data dir of that one.
 */
export function kubeApiserver(argv: readonly string[]): Promise<number> {
  return serve(['--controllers=', ...argv], withDataDir);
}

async function withDataDir(options: ServeOptions): Promise<ServeOptions> {
  const [endpoint] = options.etcdServers;
  const ofStandIn = endpoint === undefined ? undefined : await standInDataDir(endpoint);
  const parent = ofStandIn ?? options.certDir;
  if (parent === undefined) return options;
  const dataDir = join(parent, 'tsukube');
  const placed = { ...options, dataDir, kubeconfigOut: join(dataDir, 'admin.kubeconfig') };
  return ofStandIn === undefined ? placed : { ...placed, storage: 'lmdb', etcdServers: [], unsafeNoFsync: true };
}

/** Undefined if there is an etcd at the URL, or nothing yet. */
function standInDataDir(endpoint: string): Promise<string | undefined> {
  if (!/^(http:|[^:/]+:\d)/.test(endpoint)) return Promise.resolve(undefined);
  const url = new URL('/health', endpoint.includes('://') ? endpoint : `http://${endpoint}`);
  return new Promise((resolve) => {
    const request = get(url, { timeout: askTimeoutMs, agent: false }, (response) => {
      response.resume();
      const value = response.headers[dataDirHeader];
      resolve(typeof value === 'string' ? decodeURI(value) : undefined);
    });
    request.on('timeout', () => request.destroy()).on('error', () => resolve(undefined));
  });
}
