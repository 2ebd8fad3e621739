import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Where a webhook is, whom to trust there, and how to prove who we are. */
export interface WebhookEndpoint {
  readonly url: URL;
  readonly ca: Buffer | undefined;
  readonly skipVerification: boolean;
  readonly serverName: string | undefined;
  readonly certificate: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** Read for every request: tokens in files are renewed. */
  authorization(): string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Reads the current context of a kubeconfig. Fails with an Error that says what is missing. */
export async function readWebhookKubeconfig(path: string): Promise<WebhookEndpoint> {
  const { parse } = await import('yaml');
  const config = asEntry(parse(readFileSync(path, 'utf8'), { version: '1.1', maxAliasCount: 100 }));
  const context = named(config, 'contexts', 'context', text(config['current-context']), path);
  const cluster = named(config, 'clusters', 'cluster', text(context.cluster), path);
  const userName = text(context.user);
  const user = userName === '' ? {} : named(config, 'users', 'user', userName, path);
  const file = (owner: Entry, name: string) => fileOrData(owner, name, dirname(path));
  return {
    url: urlOf(cluster, path),
    ca: file(cluster, 'certificate-authority'),
    skipVerification: cluster['insecure-skip-tls-verify'] === true,
    serverName: text(cluster['tls-server-name']) || undefined,
    certificate: file(user, 'client-certificate'),
    key: file(user, 'client-key'),
    authorization: () => authorizationOf(user, dirname(path)),
  };
}

function urlOf({ server }: Entry, path: string): URL {
  try {
    return new URL(text(server));
  } catch {
    throw new Error(`${path}: the cluster's server ${JSON.stringify(server ?? '')} is not a URL`);
  }
}

function named(config: Entry, list: string, field: string, name: string, path: string): Entry {
  const entries = Array.isArray(config[list]) ? config[list].map(asEntry) : [];
  const found = entries.find((entry) => entry.name === name);
  if (name === '' || !found) throw new Error(`${path}: there is no ${field} ${JSON.stringify(name)}`);
  return asEntry(found[field]);
}

function fileOrData(owner: Entry, name: string, directory: string): Buffer | undefined {
  const data = text(owner[`${name}-data`]);
  if (data !== '') return Buffer.from(data, 'base64');
  const path = text(owner[name]);
  return path === '' ? undefined : readFileSync(resolve(directory, path));
}

function authorizationOf(user: Entry, directory: string): string | undefined {
  const tokenFile = text(user.tokenFile);
  const token = tokenFile === '' ? text(user.token) : readFileSync(resolve(directory, tokenFile), 'utf8').trim();
  if (token !== '') return `Bearer ${token}`;
  const name = text(user.username);
  return name === '' ? undefined : `Basic ${Buffer.from(`${name}:${text(user.password)}`).toString('base64')}`;
}

function asEntry(value: unknown): Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Entry) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
