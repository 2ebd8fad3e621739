import {
  authenticatedOnly,
  authentication,
  authorization,
  certificateAuthenticator,
  chain,
  compression,
  createDiscovery,
  createOpenApi,
  type Delegate,
  deadline,
  delegation,
  type Handler,
  healthDelegate,
  indexPage,
  type ObjectRegistry,
  panic,
  type Resource,
  resourceDelegate,
  responseHeaders,
  type ShutdownNotice,
  tokenAuthenticator,
  versionPage,
  withRequestInfo,
} from '@tsukube/apiserver';
import { describe } from '@tsukube/builtin';
import type { ApiServerParts } from './api-server.ts';
import { healthChecks } from './health.ts';
import { userFromCertificate } from './pki/index.ts';
import { readTokenFile } from './token-file.ts';
import { kubernetesVersion, versionInfo } from './version.ts';

export interface ChainParts extends ApiServerParts {
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  readonly shutdown: ShutdownNotice;
  readonly isReady: () => boolean;
}

/** The way of a request, from the first filter to the delegate that answers. */
export function requestChain(parts: ChainParts): Handler {
  const { options, logger } = parts;
  const tokens = options.tokenAuthFile === undefined ? new Map() : readTokenFile(options.tokenAuthFile);
  return chain(
    [
      responseHeaders(),
      compression(),
      panic(logger),
      withRequestInfo(),
      deadline(options.requestTimeout),
      authentication([certificateAuthenticator(userFromCertificate), tokenAuthenticator(tokens)]),
      authorization(authenticatedOnly),
    ],
    delegation(delegates(parts)),
  );
}

/** The first that claims a path answers. */
function delegates(parts: ChainParts): readonly Delegate[] {
  const { options, resources, logger } = parts;
  const discovery = createDiscovery(() => resources, { serverAddress: parts.address });
  const openApi = createOpenApi(() => resources, { describe, title: 'Kubernetes', version: kubernetesVersion });
  const checks = healthChecks(parts.store, parts.isReady);
  return [
    resourceDelegate({
      resources,
      registryOf: parts.registryOf,
      shutdown: parts.shutdown,
      minWatchSeconds: options.minRequestTimeout,
    }),
    (request) => discovery.answer(request),
    (request) => openApi.answer(request),
    healthDelegate(() => checks, logger),
    versionPage(versionInfo),
    indexPage(() => servedPaths(resources)),
  ];
}

function servedPaths(resources: readonly Resource[]): readonly string[] {
  const paths = ['/api', '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];
  for (const { group, version } of resources.flatMap((resource) => resource.versions)) {
    if (group === '') paths.push(`/api/${version}`);
    else paths.push(`/apis/${group}`, `/apis/${group}/${version}`);
  }
  return paths;
}
