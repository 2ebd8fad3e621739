import { join } from 'node:path';
import { type Aggregator, createAggregator } from '@tsukube/aggregator';
import {
  type Feed,
  type ObjectRegistry,
  openFeed,
  type RegistryServices,
  type Resource,
  type ServerMetrics,
  type Shutdown,
  serverMetrics,
  serviceAddresses,
  shutdownNotice,
  storageCorruption,
  storageSize,
  versionInfo,
} from '@tsukube/apiserver';
import { admissionPlugins, type FindRegistry, type RoleRules, roleRulesOf } from '@tsukube/builtin';
import { controllerNames } from '@tsukube/controllers';
import type { CustomApi } from '@tsukube/crds';
import type { Store } from '@tsukube/storage';
import type { ApiServerParts } from './api-server.ts';
import { type Authentication, createAuthentication } from './authentication/authenticator.ts';
import { type Authorization, createAuthorization } from './authorization/authorization.ts';
import { flagsWithoutEffect, serviceRanges } from './config/index.ts';
import { configuredEncryption, type EncryptionChecks, noEncryptionChecks } from './encryption/index.ts';
import { kubeletClientConfig } from './kubelet-client.ts';
import { customApi } from './registries/custom-api.ts';
import { allResources, createRegistries, type Registries, watchCaches } from './registries/registries.ts';
import { dataDirOf } from './registries/store.ts';
import { type HeavyServing, heavyServing } from './worker/heavy-requests.ts';

export interface AccessControl {
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  readonly roles: RoleRules;
}

export async function openAccessControl(parts: ApiServerParts, findRegistry: FindRegistry): Promise<AccessControl> {
  const authentication = await createAuthentication({ ...parts, registryOf: (plural) => findRegistry('', plural) });
  const authorization = createAuthorization(parts.options, parts.logger);
  return { authentication, authorization, roles: roleRulesOf(authorization.rbacIndex) };
}

export interface OpenStorage {
  /** The built-in and additional kinds, including those with no served version. */
  readonly all: readonly Resource[];
  /** The kinds with a served version. */
  readonly resources: readonly Resource[];
  readonly metrics: ServerMetrics;
  /** Encrypts and decrypts, if encryption at rest is configured. */
  readonly store: Store;
  readonly feed: Feed;
  readonly encryptionChecks: EncryptionChecks;
  /** Ends the feed and the metrics. */
  stop(): void;
  close(): Promise<void>;
}

export async function openStorage(parts: ApiServerParts, access: AccessControl): Promise<OpenStorage> {
  const { options, logger } = parts;
  let metrics: ServerMetrics | undefined;
  const all = resourcesOf(parts, access, () => metrics);
  const resources = all.filter(({ versions }) => versions.length > 0);
  metrics = serverMetrics(versionInfo, resources);
  const encryption = await configuredEncryption(options, all, metrics, logger);
  const store = encryption?.encrypted(parts.store) ?? parts.store;
  const onFeedError = (error: unknown) => logger.warn('watch of the store ended', { error: String(error) });
  const feed = await openFeed(store, `${options.etcdPrefix}/`, onFeedError);
  if (options.storage === 'lmdb') storageSize(metrics.registry, 'lmdb-0', join(dataDirOf(options), 'data'));
  storageCorruption(metrics.registry, store);
  return {
    all,
    resources,
    metrics,
    store,
    feed,
    encryptionChecks: encryption?.checks ?? noEncryptionChecks,
    stop() {
      feed.close();
      metrics.close();
    },
    async close() {
      await store.close();
      encryption?.close();
    },
  };
}

function resourcesOf(
  parts: ApiServerParts,
  { authentication, authorization, roles }: AccessControl,
  metrics: () => ServerMetrics | undefined,
): readonly Resource[] {
  const { options, serviceAccounts, resources = [] } = parts;
  const builtin = {
    eventTtlSeconds: options.eventTtl / 1000,
    serviceRanges: serviceRanges(options),
    authorizer: authorization.authorizer,
    roles,
    tokenIssuer: serviceAccounts.issuer,
    kubelets: kubeletClientConfig(options, parts.kubeletClient, () => metrics()?.kubelets),
    tokenReviewer: { authenticate: authentication.reviewToken, apiAudiences: serviceAccounts.apiAudiences },
  };
  return allResources(options, builtin, resources);
}

export interface Api {
  readonly registries: Registries['registries'];
  readonly services: RegistryServices;
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  /** Custom resources; undefined if CustomResourceDefinitions are not served. */
  readonly custom: CustomApi | undefined;
  /** Forwards requests to other API servers. */
  readonly aggregator: Aggregator;
  /** Worker threads for heavy requests; undefined if there are none. */
  readonly heavy: HeavyServing | undefined;
  readonly shutdown: Shutdown;
  closeCaches(): Promise<void>;
}

export function createApi(parts: ApiServerParts, access: AccessControl, storage: OpenStorage): Api {
  const { options, logger } = parts;
  const { resources, store, feed, metrics } = storage;
  const { authorizer } = access.authorization;
  const { registries, services } = createRegistries(storage.all, options, {
    openCache: watchCaches(store, feed, metrics),
    store,
    authorizer,
    admissionObserver: metrics.admission,
    plugins: parts.admissionPlugins ?? [],
    customObjects: (group, plural) => custom?.storedObjects(group, plural),
    pluginConfigurations: parts.pluginConfigurations,
    customOfKind: (kind) => custom?.objectsOfKind(kind),
  });
  const unused = flagsWithoutEffect(options, {
    controllers: controllerNames,
    admissionPlugins: admissionPlugins.map(({ name }) => name),
  });
  if (unused.length > 0) logger.warn('flags of kube-apiserver without effect here', { flags: unused.join(' ') });
  const registryOf = (resource: Resource) => registries.get(resource) as ObjectRegistry;
  const shutdown = shutdownNotice();
  const custom = customApi({ resources, registryOf, services, store, feed, shutdown: shutdown.notice, options, logger });
  const heavy = heavyServing({
    registries,
    custom,
    store,
    authorizer,
    roles: access.roles,
    reviewToken: access.authentication.reviewToken,
    start: {
      options,
      serviceAccountKey: parts.serviceAccounts.privateKey,
      pluginConfigurations: parts.pluginConfigurations,
    },
    offload: parts.offload ?? {},
    isDisabled: (parts.admissionPlugins ?? []).length > 0,
    localResources: parts.resources ?? [],
    admissionObserver: metrics.admission,
    logger,
  });
  const aggregator = createAggregator({
    addressesOf: serviceAddresses(
      (group, plural) => services.registryNamed?.(group, plural)?.cache,
      !options.enableAggregatorRouting,
    ),
    identity: () => parts.frontProxy().client,
    shutdown: shutdown.notice,
    logger,
  });
  const closeCaches = async () => void (await Promise.all([...registries.values()].map(({ cache }) => cache.close())));
  return { registries, services, registryOf, custom, aggregator, heavy, shutdown, closeCaches };
}
