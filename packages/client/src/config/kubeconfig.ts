import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { isObject, type JsonObject, objectIn, objectsIn, parseYaml, textIn } from '@tsukube/machinery';
import {
  anonymousCredentials,
  type ClientCertificate,
  type ClusterConfig,
  type Credentials,
  KubeconfigError,
} from './cluster-config.ts';
import { execCredentials } from './exec-credentials.ts';
import { readTextFile, TokenFile } from './files.ts';
import { inClusterConfig, isInCluster } from './in-cluster.ts';

export interface KubeconfigOptions {
  /** A path, or the text itself. */
  readonly kubeconfig?: string | undefined;
  /** Instead of the current context. */
  readonly context?: string | undefined;
}

/**
 * The configuration of a kubeconfig, given as path or as text. Without one: the files of `KUBECONFIG`, the service account of
 * the pod, or `~/.kube/config`, in this order. Rejects with KubeconfigError.
 */
export async function loadConfig({ kubeconfig, context }: KubeconfigOptions = {}): Promise<ClusterConfig> {
  if (kubeconfig?.includes('\n')) return selectContext([await parseFile(kubeconfig, process.cwd())], context);
  if (kubeconfig !== undefined) return selectContext([await readFile(kubeconfig)], context);
  const named = (process.env.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 0) return selectContext(await Promise.all(existing(named).map(readFile)), context);
  return isInCluster() ? inClusterConfig() : selectContext([await readFile(join(homedir(), '.kube', 'config'))], context);
}

/** Missing files of `KUBECONFIG` are ignored, unless all are missing. */
function existing(paths: readonly string[]): readonly string[] {
  const found = paths.filter((path) => existsSync(path));
  return found.length > 0 ? found : paths;
}

/** A parsed kubeconfig. Paths in it are relative to `folder`. */
interface KubeconfigFile {
  readonly folder: string;
  readonly content: JsonObject;
}

async function readFile(path: string): Promise<KubeconfigFile> {
  return parseFile(readTextFile(path, 'the kubeconfig'), dirname(resolve(path)));
}

async function parseFile(text: string, folder: string): Promise<KubeconfigFile> {
  const { value } = await parseYaml(Buffer.from(text));
  if (!isObject(value)) throw new KubeconfigError('the kubeconfig is not a YAML mapping');
  return { folder, content: value };
}

/** Of entries with the same name in several files, the first counts. */
function selectContext(files: readonly KubeconfigFile[], wanted?: string): ClusterConfig {
  const current = wanted ?? files.map(({ content }) => textIn(content, 'current-context')).find((name) => name !== '') ?? '';
  const { entry: context } = namedEntry(files, 'contexts', current, 'context');
  const { entry: cluster, folder } = namedEntry(files, 'clusters', textIn(context, 'cluster'), 'cluster');
  if (textIn(cluster, 'server') === '') throw new KubeconfigError('the cluster of the kubeconfig has no server');
  if (textIn(cluster, 'proxy-url') !== '') throw new KubeconfigError('proxy-url is not supported');
  const user = textIn(context, 'user');
  return {
    server: textIn(cluster, 'server').replace(/\/$/, ''),
    ca: contentOf(cluster, 'certificate-authority', folder),
    serverName: textIn(cluster, 'tls-server-name') || undefined,
    insecure: cluster['insecure-skip-tls-verify'] === true,
    namespace: textIn(context, 'namespace') || undefined,
    credentials: user === '' ? anonymousCredentials : credentialsOf(namedEntry(files, 'users', user, 'user'), cluster),
  };
}

interface NamedEntry {
  readonly entry: JsonObject;
  readonly folder: string;
}

function namedEntry(files: readonly KubeconfigFile[], list: string, name: string, field: string): NamedEntry {
  for (const { folder, content } of files) {
    const entry = objectIn(
      objectsIn(content, list).find((each) => isObject(each) && each.name === name),
      field,
    );
    if (entry !== undefined) return { entry, folder };
  }
  throw new KubeconfigError(`the kubeconfig has no ${field} "${name}"`);
}

function credentialsOf({ entry: user, folder }: NamedEntry, cluster: JsonObject): Credentials {
  const exec = objectIn(user, 'exec');
  if (exec !== undefined) return execCredentials(exec, cluster, folder);
  if (user['auth-provider']) throw new KubeconfigError('auth-provider is not supported: use an exec plugin');
  const certificate = certificateOf(user, folder);
  return { ...authorizationOf(user, folder), certificate: () => certificate };
}

function certificateOf(user: JsonObject, folder: string): ClientCertificate | undefined {
  const cert = contentOf(user, 'client-certificate', folder);
  const key = contentOf(user, 'client-key', folder);
  return cert !== undefined && key !== undefined ? { cert, key } : undefined;
}

function authorizationOf(user: JsonObject, folder: string): Pick<Credentials, 'authorization' | 'refresh'> {
  const path = textIn(user, 'tokenFile');
  if (path !== '') {
    const file = new TokenFile(resolve(folder, path));
    return { authorization: () => `Bearer ${file.token()}`, refresh: () => file.refresh() };
  }
  const header = staticHeader(textIn(user, 'token'), textIn(user, 'username'), textIn(user, 'password'));
  return { authorization: () => header, refresh: () => false };
}

function staticHeader(token: string, username: string, password: string): string | undefined {
  if (token !== '') return `Bearer ${token}`;
  return username === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** The value of `FIELD-data`, or the content of the file that `FIELD` names. */
function contentOf(owner: JsonObject, field: string, folder: string): string | undefined {
  const data = textIn(owner, `${field}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString('utf8');
  const path = textIn(owner, field);
  return path === '' ? undefined : readTextFile(resolve(folder, path), field);
}
