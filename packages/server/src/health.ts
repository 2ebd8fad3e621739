import {
  type HealthCheck,
  type HealthChecks,
  HealthProblem,
  type Logger,
  type ObjectRegistry,
  type Resource,
} from '@tsukube/apiserver';
import { metadataOf, textIn } from '@tsukube/machinery';
import { NoSpace, type Store } from '@tsukube/storage';
import type { EncryptionChecks } from './encryption/index.ts';

export interface HealthParts {
  readonly store: Store;
  readonly isReady: () => boolean;
  readonly resources: readonly Resource[];
  readonly registryOf: (resource: Resource) => ObjectRegistry;
  readonly hooks: PostStartHooks;
  readonly encryptionChecks: EncryptionChecks;
  /** Throws if a certificate has expired. */
  readonly checkCertificates: () => void;
  readonly logger: Logger;
}

type Check = HealthCheck['check'];

/** A full store does not fail the check, as in kube-apiserver: a restart would not free space, and reads still work. */
function pinged(store: Store): Check {
  return () =>
    store.ping().catch((error: unknown) => {
      if (!(error instanceof NoSpace)) throw error;
    });
}

/** The checks of /healthz, /livez and /readyz, with kube-apiserver's names and order. */
export function healthChecks(parts: HealthParts): HealthChecks {
  const { store, isReady, checkCertificates, logger } = parts;
  const { kms, hooks: encryptionHooks } = parts.encryptionChecks;
  const ping = named('ping', () => {});
  const log = named('log', () => logger.debug('health check of the log'));
  const stored = (name: string): HealthCheck => ({ ...named(name, pinged(store)), explains: true });
  const storage = stored('etcd');
  const hooks = [...encryptionHooks, ...Object.entries(startChecks(parts)).map(([name, check]) => named(name, check))];
  const former = formerChecks(parts);
  const first = [ping, log, named('loopback-serving-certificate', checkCertificates), storage];
  return {
    healthz: [...first, ...kms, ...hooks, ...former],
    livez: [...first, ...hooks, ...former],
    readyz: [
      ping,
      log,
      storage,
      stored('etcd-readiness'),
      ...kms,
      named('informer-sync', loaded(parts, '', 'namespaces')),
      ...hooks,
      { ...named('storage', () => checkStored(store)), unlisted: true },
      { ...named('clock', () => parts.hooks.check('clock')), unlisted: true },
      named('shutdown', () => {
        if (!isReady()) throw new Error('the server is shutting down');
      }),
      ...former,
    ],
  };
}

/** kube-apiserver's post-start hooks and their equivalents. */
function startChecks(parts: HealthParts): Readonly<Record<string, Check>> {
  const { store, hooks, checkCertificates } = parts;
  const hook = (name: string) => () => hooks.check(name);
  const present = (group: string, plural: string, names?: readonly string[]) => objectsExist(parts, group, plural, names);
  const inMemory = (group: string, plural: string) => loaded(parts, group, plural);
  const definitions = inMemory('apiextensions.k8s.io', 'customresourcedefinitions');
  const services = inMemory('apiregistration.k8s.io', 'apiservices');
  return {
    'poststarthook/start-apiserver-admission-initializer': hook('admission'),
    'poststarthook/generic-apiserver-start-informers': hook('feed'),
    'poststarthook/priority-and-fairness-config-consumer': inMemory('flowcontrol.apiserver.k8s.io', 'flowschemas'),
    'poststarthook/priority-and-fairness-filter': hook('filters'),
    'poststarthook/storage-object-count-tracker-hook': hook('metrics'),
    'poststarthook/start-apiextensions-informers': definitions,
    'poststarthook/start-apiextensions-controllers': hook('controllers'),
    'poststarthook/crd-informer-synced': definitions,
    'poststarthook/start-system-namespaces-controller': present('', 'namespaces'),
    'poststarthook/peer-endpoint-reconciler-controller': hook('bootstrap-controller'),
    'poststarthook/start-cluster-authentication-info-controller': hook('start-cluster-authentication-info-controller'),
    'poststarthook/start-kube-apiserver-identity-lease-controller': hook('start-kube-apiserver-identity-lease-controller'),
    'poststarthook/start-kube-apiserver-identity-lease-garbage-collector': hook('start-kube-apiserver-identity-lease-controller'),
    'poststarthook/storage-readiness': pinged(store),
    'poststarthook/start-legacy-token-tracking-controller': hook('start-legacy-token-tracking-controller'),
    'poststarthook/start-service-ip-repair-controllers': hook('start-service-ip-repair-controllers'),
    'poststarthook/rbac/bootstrap-roles': present('rbac.authorization.k8s.io', 'clusterroles', ['cluster-admin']),
    'poststarthook/scheduling/bootstrap-system-priority-classes': present('scheduling.k8s.io', 'priorityclasses'),
    'poststarthook/priority-and-fairness-config-producer': present(
      'flowcontrol.apiserver.k8s.io',
      'prioritylevelconfigurations',
      ['exempt', 'catch-all'],
    ),
    'poststarthook/bootstrap-controller': hook('bootstrap-controller'),
    'poststarthook/start-kubernetes-service-cidr-controller': hook('start-kubernetes-service-cidr-controller'),
    'poststarthook/aggregator-reload-proxy-client-cert': checkCertificates,
    'poststarthook/start-kube-aggregator-informers': services,
    'poststarthook/apiservice-status-local-available-controller': services,
    'poststarthook/apiservice-status-remote-available-controller': services,
    'poststarthook/apiservice-registration-controller': services,
    'poststarthook/apiservice-discovery-controller': hook('discovery'),
    'poststarthook/kube-apiserver-autoregistration': hook('resources'),
    'autoregister-completion': hook('resources'),
    'poststarthook/apiservice-openapi-controller': hook('openapi'),
    'poststarthook/apiservice-openapiv3-controller': hook('openapi'),
  };
}

/** Checks of older versions of kube-apiserver, available by name only. */
function formerChecks(parts: HealthParts): readonly HealthCheck[] {
  const services = loaded(parts, 'apiregistration.k8s.io', 'apiservices');
  return [
    { ...named('poststarthook/apiservice-status-available-controller', services), separate: true },
    {
      ...named('poststarthook/start-kube-apiserver-admission-initializer', () => parts.hooks.check('admission')),
      separate: true,
    },
  ];
}

function named(name: string, check: Check): HealthCheck {
  return { name, check };
}

/** Undefined if the resource is disabled. */
function registryNamed({ resources, registryOf }: HealthParts, group: string, plural: string): ObjectRegistry | undefined {
  const resource = resources.find(({ names, hub }) => names.plural === plural && hub.group === group);
  return resource && registryOf(resource);
}

/** Passes when the watch cache of the resource is loaded. */
function loaded(parts: HealthParts, group: string, plural: string): Check {
  return () => registryNamed(parts, group, plural)?.cache.loaded();
}

/** Reports damage found by reads. It is repaired by writing the objects or by restoring a backup. */
function checkStored(store: Store): void {
  const count = store.corruption?.().count ?? 0;
  if (count > 0) throw new HealthProblem(`${count} stored ${count === 1 ? 'object is' : 'objects are'} damaged`);
}

/**
 * Checks for the named objects, or for the kind's initial objects. Like a hook of kube-apiserver, it stays passed: deleting a
 * role later does not make the server unready.
 */
function objectsExist(parts: HealthParts, group: string, plural: string, names?: readonly string[]): Check {
  let hasPassed = false;
  return async () => {
    const registry = registryNamed(parts, group, plural);
    if (hasPassed || !registry) return;
    await registry.cache.loaded();
    const initial = registry.resource.initialObjects ?? [];
    for (const name of names ?? initial.map((object) => textIn(metadataOf(object), 'name')))
      if (!registry.cache.peek(registry.key('', name))) throw new Error(`there is no ${name} among the ${plural}`);
    hasPassed = true;
  };
}

/** Throws if the result of a hook no longer holds. */
export type HookCheck = () => void | Promise<void>;

/** Completion of the post-start hooks, which health checks report. */
export class PostStartHooks {
  readonly #checks = new Map<string, HookCheck>();

  /** Marks a hook as complete, as long as its check passes. */
  complete(name: string, check: HookCheck = () => {}): void {
    this.#checks.set(name, check);
  }

  check(name: string): void | Promise<void> {
    const check = this.#checks.get(name);
    if (!check) throw new Error(`${name} has not run yet`);
    return check();
  }
}
