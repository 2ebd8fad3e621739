import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Logger, type LogLevel, silentLogger } from '@tsukube/apiserver';
import { type RunningServer, startServer } from '@tsukube/server';
import { type ServerLogger, type StartServerOptions, type TestServer, TsukubeManifestError } from '../index.ts';
import { applyManifests } from './apply-manifests.ts';
import { type Baseline, recordBaseline, type TappedStore } from './baseline.ts';
import { clientOptions, type HttpsClient, httpsClient } from './https-client.ts';
import { createNamespace } from './namespace.ts';
import { asOptionError, type CheckedOptions, checkOptions } from './options.ts';
import { type ManifestObject, readManifests } from './read-manifests.ts';

let firstClose: (() => void) | undefined;

/** Called once, after the first server has closed. */
export function onFirstClose(listener: () => void): void {
  firstClose ??= listener;
}

/** Starts a server with test defaults, CRDs and manifests. */
export async function startTestServer(given: StartServerOptions): Promise<TestServer> {
  const options = checkOptions(given);
  const manifests = await manifestsOf(options);
  const server = await startServer({ ...options.serve, logger: loggerOf(options.logger) }).catch((error) => {
    throw asOptionError(error);
  });
  const client = httpsClient(clientOptions(server.kubeconfig));
  try {
    await applyManifests(client, manifests, options.createsAccounts);
  } catch (error) {
    client.close();
    await server.close();
    throw error;
  }
  return testServer(server, client, baselineOf(server, options), options);
}

function testServer(
  server: RunningServer,
  client: HttpsClient,
  baseline: Baseline | undefined,
  { createsAccounts }: CheckedOptions,
): TestServer {
  const { url, kubeconfig } = server;
  const close = async () => {
    baseline?.stop();
    // Client watches end with the server, not with an error.
    await server.close();
    client.close();
    firstClose?.();
    firstClose = undefined;
  };
  return {
    url,
    kubeconfig,
    writeKubeconfig: (path) => writeKubeconfig(path, kubeconfig),
    client: () => clientOptions(kubeconfig),
    fetch: client.fetch,
    apply: async (manifests) =>
      applyManifests(client, await readManifests(manifests, 'manifests', process.cwd()), createsAccounts),
    namespace: (prefix = 'test') => createNamespace(client, baseline, prefix, createsAccounts),
    async reset() {
      if (baseline === undefined) throw new Error("reset() needs storage 'memory' or 'lmdb'");
      await baseline.reset();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function manifestsOf({ crds, manifests }: CheckedOptions): Promise<ManifestObject[]> {
  const definitions = await readManifests(crds, 'crds', process.cwd());
  const others = await readManifests(manifests, 'manifests', process.cwd());
  return [...onlyDefinitions(definitions), ...others];
}

/** Like envtest, skips other documents in the files; a source without any CRD is an error. */
function onlyDefinitions(manifests: readonly ManifestObject[]): ManifestObject[] {
  const definitions = manifests.filter(({ object }) => object.kind === 'CustomResourceDefinition');
  if (manifests.length > 0 && definitions.length === 0) {
    const sources = [...new Set(manifests.map(({ source }) => source))].join(', ');
    throw new TsukubeManifestError(`crds: no CustomResourceDefinition in ${sources}`, { source: sources });
  }
  return definitions;
}

/** External stores cannot report the writes of others. */
function baselineOf({ store }: RunningServer, { serve }: CheckedOptions): Baseline | undefined {
  return store.tap === undefined ? undefined : recordBaseline(store as TappedStore, `${serve.etcdPrefix ?? '/registry'}/`);
}

async function writeKubeconfig(path: string, kubeconfig: string): Promise<string> {
  const absolute = resolve(path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, kubeconfig, { mode: 0o600 });
  return absolute;
}

function loggerOf(given: ServerLogger | undefined): Logger {
  if (given === undefined) return silentLogger;
  const log =
    (level: LogLevel): Logger['info'] =>
    (message, fields) =>
      given[level]?.(message, fields);
  const logger = (inherited: Readonly<Record<string, unknown>>): Logger => ({
    error: (message, fields) => log('error')(message, { ...inherited, ...fields }),
    warn: (message, fields) => log('warn')(message, { ...inherited, ...fields }),
    info: (message, fields) => log('info')(message, { ...inherited, ...fields }),
    debug: (message, fields) => log('debug')(message, { ...inherited, ...fields }),
    enabled: (level) => given[level] !== undefined,
    child: (fields) => logger({ ...inherited, ...fields }),
  });
  return logger({});
}
