import {
  type RestConfig,
  type StartServerOptions,
  startServer,
  type TestServer,
  TsukubeManifestError,
  TsukubeOptionError,
} from 'tsukube';

const options: StartServerOptions = {
  crds: ['./crds/*.yaml', new URL('file:///a.yaml'), { kind: 'CustomResourceDefinition' }],
  storage: 'memory',
  requestTimeout: 1000,
  runtimeConfig: { 'api/all': true },
  etcdServers: [],
  logger: { warn: (message, fields) => console.warn(message, fields?.error) },
};

// @ts-expect-error the option does not exist
const unknown: StartServerOptions = { securPort: 1 };
// @ts-expect-error not one of the values
const badValue: StartServerOptions = { storage: 'sqlite' };
// @ts-expect-error durations are numbers
const badType: StartServerOptions = { requestTimeout: '1m' };

export async function program(): Promise<string> {
  await using server: TestServer = await startServer(options);
  const client: RestConfig = server.client();
  const namespace = await server.namespace('a');
  const [object] = await server.apply('a.yaml');
  const response: Response = await server.fetch('/readyz', { method: 'GET', signal: AbortSignal.timeout(1000) });
  await server.reset();
  return [client.ca, namespace.name, object?.metadata?.name, response.status, unknown, badValue, badType].join();
}

export function nameOf(error: unknown): string | undefined {
  if (error instanceof TsukubeOptionError) return error.option;
  return error instanceof TsukubeManifestError ? error.object : undefined;
}
