import type { Store } from '../store.ts';
import { EtcdStore } from './etcd-store.ts';
import { type EtcdOptions, parseEndpoint, readTls } from './options.ts';
import { EtcdClient } from './rpc/client.ts';
import { EtcdMember, EtcdMembers } from './rpc/members.ts';

export type { EtcdLogger, EtcdOptions, EtcdTls, Pem } from './options.ts';

const DEFAULT_TIMEOUT_MS = 10_000;

/** Opens a store on an etcd cluster, 3.4 or later. Resolves whether or not the cluster is reachable; `ping` checks that. */
export async function openEtcd(options: EtcdOptions): Promise<Store> {
  const { endpoints, username, password = '', timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  if (endpoints.length === 0) throw new TypeError('etcd needs at least one endpoint');
  const urls = endpoints.map(parseEndpoint);
  const tls = await readTls(options.tls);
  const members = new EtcdMembers(urls.map((url) => new EtcdMember(url, tls)));
  const client = new EtcdClient(members, { timeoutMs, credentials: username === undefined ? undefined : { username, password } });
  return new EtcdStore(client, options);
}
