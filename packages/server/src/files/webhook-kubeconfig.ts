import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { outboundClient, type WebhookCredentials } from '@tsukube/apiserver';

/** URL, trust and credentials of a webhook: the current context of its kubeconfig. */
export interface WebhookEndpoint extends WebhookCredentials {
  readonly url: URL;
  readonly ca: Buffer | undefined;
  readonly skipVerification: boolean;
  readonly serverName: string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** Rejects with an Error that names the missing or invalid entry. */
export async function readWebhookKubeconfig(path: string): Promise<WebhookEndpoint> {
  const config = await readConfig(path);
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
    ...credentialsOf(user, dirname(path)),
  };
}

async function readConfig(path: string): Promise<Entry> {
  const { parse } = await import('yaml');
  return asEntry(parse(readFileSync(path, 'utf8'), { version: '1.1', maxAliasCount: 100 }));
}

function credentialsOf(user: Entry, directory: string): WebhookCredentials {
  return {
    certificate: fileOrData(user, 'client-certificate', directory),
    key: fileOrData(user, 'client-key', directory),
    authorization: () => authorizationOf(user, directory),
  };
}

/**
 * Reads a kubeconfig whose users have the names of servers: `host:port`, `*.example.com`, `*`. The returned function finds the
 * credentials for a server; those of the current context if no name matches.
 */
export async function readWebhookUsers(path: string): Promise<(target: string) => WebhookCredentials | undefined> {
  const config = await readConfig(path);
  const entries = (list: string) => (Array.isArray(config[list]) ? config[list].map(asEntry) : []);
  const users = new Map(entries('users').map(({ name, user }) => [text(name), asEntry(user)]));
  const current = entries('contexts').find(({ name }) => text(name) === text(config['current-context']));
  const fallback = text(asEntry(current?.context).user);
  return (target) => {
    const name = [...userNames(target), fallback].find((each) => users.has(each));
    return name === undefined ? undefined : credentialsOf(users.get(name) as Entry, dirname(path));
  };
}

/** The names of users for a server, the most specific one first. The port 443 may be left out. */
function userNames(target: string): readonly string[] {
  const withoutPort = target.replace(/:443$/, '');
  return [...namesBelow(target), ...(withoutPort === target ? [] : namesBelow(withoutPort)), '*'];
}

function namesBelow(target: string): readonly string[] {
  const labels = target.split('.');
  return [target, ...labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`)];
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

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A webhook configured by a kubeconfig file: for audit events, TokenReviews and SubjectAccessReviews. */
export interface KubeconfigWebhook {
  /** Posts JSON. Resolves with an answer of any status; rejects if there is none in time. */
  post(body: string): Promise<WebhookAnswer>;
  close(): void;
}

const maxResponseBytes = 4 << 20;
const defaultTimeoutMs = 30_000;

export function kubeconfigWebhook(endpoint: WebhookEndpoint, timeoutMs = defaultTimeoutMs): KubeconfigWebhook {
  const { url, ca, certificate: cert, key, serverName, skipVerification } = endpoint;
  const client = outboundClient({ ca, cert, key, serverName, skipVerification, maxResponseBytes });
  return {
    async post(body) {
      const authorization = endpoint.authorization();
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        ...(authorization !== undefined && { authorization }),
      };
      const answer = await client.send({ method: 'POST', url, headers, body, timeoutMs });
      const contentType = answer.headers.get('content-type') ?? '';
      return { status: answer.status, contentType, body: answer.body.toString() };
    },
    close: () => client.close(),
  };
}

/** Backoff of kube-apiserver's webhook clients. */
const factor = 1.5;
const jitter = 0.2;
const attempts = 5;

export interface WebhookRetryOptions {
  readonly initialMs: number;
  /** Ends the wait before a retry. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
}

/** Retries with exponential backoff. Rejects with the error of the last attempt. */
export async function retryWithBackoff<T>(options: WebhookRetryOptions, attempt: () => Promise<T>): Promise<T> {
  const { initialMs, signal, random = Math.random } = options;
  let delay = initialMs;
  for (let left = attempts - 1; ; left--, delay *= factor) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 0 || signal?.aborted) throw error;
    }
    await setTimeout(delay * (1 + random() * jitter), undefined, { signal }).catch(() => {});
  }
}
