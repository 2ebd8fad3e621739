import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import {
  type Authorizer,
  type DerivationMessage,
  delegation,
  derivedBytes,
  type EntryMessage,
  type Identification,
  JobLoop,
  type JobParts,
  type MainThread,
  mainThreadBehind,
  type ObjectRegistry,
  ownedBytes,
  type RegistryServices,
  RemoteCache,
  type Resource,
  resourceDelegate,
  type ServedVersion,
  type ServingContext,
  serviceResolver,
  type WorkerThreadData,
} from '@tsukube/apiserver';
import type { RoleRules } from '@tsukube/builtin';
import { type LookedUpApi, lookUpCustomApi } from '@tsukube/crds';
import type { PluginConfigurations } from '../admission/configuration-file.ts';
import { serviceAccountTokens } from '../authentication/service-account-tokens.ts';
import { type ServeOptions, serviceRanges } from '../config/index.ts';
import { allResources, builtInNames, cachePrefix, createRegistries, objectsNamed } from '../registries/registries.ts';
import { cacheName, customCacheName, type WorkerCalls } from './worker-calls.ts';

/** Start data of a worker. */
export interface WorkerOptions {
  readonly options: ServeOptions;
  /** PEM of the service account signing key. */
  readonly serviceAccountKey: string;
  readonly pluginConfigurations: PluginConfigurations;
}

type Main = MainThread<WorkerCalls>;

/**
 * The API in a worker thread: the handlers and registries of the main thread, over proxies of its caches, store and authorizer.
 */
function workerApi({ options, serviceAccountKey, pluginConfigurations }: WorkerOptions, main: Main, loop: JobLoop): JobParts {
  const authorizer = remoteAuthorizer(main);
  const all = allResources(options, builtinOptions(options, serviceAccountKey, authorizer, main), []);
  const resources = all.filter(({ versions }) => versions.length > 0);
  const openCache = (resource: Resource) =>
    new RemoteCache({
      name: cacheName(resource),
      prefix: cachePrefix(resource),
      main,
      currentJob: loop.currentJob,
      remembers: readOften.has(resource.names.plural),
    });
  const { registries, services } = createRegistries(all, options, {
    openCache,
    store: remoteStore(main),
    authorizer,
    admissionObserver: loop.admissionObserver,
    customObjects: (group, plural) => custom?.storedObjects(group, plural),
    pluginConfigurations,
    customOfKind: (kind) => custom?.objectsOfKind(kind),
  });
  const registryOf = (resource: Resource) => registries.get(resource) as ObjectRegistry;
  const objectsOf = objectsNamed(resources, registryOf);
  const serving: ServingContext = { objectsOf, minWatchSeconds: 0, heavy: undefined, memory: undefined, shutdown: never };
  const definitions = objectsOf('apiextensions.k8s.io', 'customresourcedefinitions');
  const custom =
    definitions &&
    lookUpCustomApi(definitions, {
      openCache: ({ resource }) =>
        new RemoteCache({
          name: customCacheName(resource),
          prefix: `${resource.storagePrefix}/`,
          main,
          currentJob: loop.currentJob,
        }),
      services,
      prefix: options.etcdPrefix,
      resolveService: serviceResolver((group, name) => objectsOf(group, name)?.cache),
      shutdown: never,
    });
  const isBuiltIn = builtInNames(resources);
  const handler = delegation([
    ...(custom ? [custom.delegate({ ...serving, isBuiltIn })] : []),
    resourceDelegate({ ...serving, resources, registryOf }),
  ]);
  return { handler, derive: (message) => derivedOf(message, resources, custom) };
}

function derivedOf(message: DerivationMessage, resources: readonly Resource[], custom: LookedUpApi | undefined): Uint8Array {
  const { group, version: name, plural, what, value } = message;
  const isIt = (served: ServedVersion) => served.group === group && served.version === name;
  const builtIn = resources.find(({ names, versions }) => names.plural === plural && versions.some(isIt));
  const resource = builtIn ?? custom?.resource(group, plural, name);
  const version = resource?.versions.find(isIt);
  if (!resource || !version) throw new Error(`there is no ${plural} in ${group}/${name}`);
  const entry = { key: '', value: Buffer.from(value.buffer), revision: 0, created: 0, derived: undefined };
  return derivedBytes(entry, resource, version, what);
}

/** Resources whose objects every write reads. */
const readOften: ReadonlySet<string> = new Set([
  'customresourcedefinitions',
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** Requests in workers are short, so they need no shutdown notice. */
const never = { onBegin: () => () => {} };

function builtinOptions(options: ServeOptions, serviceAccountKey: string, authorizer: Authorizer, main: Main) {
  const tokens = serviceAccountTokens(options, { serviceAccount: { privateKey: serviceAccountKey } });
  const roles: RoleRules = {
    roleOf: (reference, namespace) => main.call('roleOf', reference, namespace),
    grantedTo: (user, namespace) => main.call('grantedTo', user, namespace),
  };
  const authenticate = (token: string, audiences: readonly string[] | undefined): Promise<Identification> =>
    main.call('authenticate', token, audiences) as Promise<Identification>;
  return {
    eventTtlSeconds: options.eventTtl / 1000,
    serviceRanges: serviceRanges(options),
    authorizer,
    roles,
    tokenIssuer: tokens.issuer,
    tokenReviewer: { authenticate, apiAudiences: tokens.apiAudiences },
  };
}

function remoteAuthorizer(main: Main): Authorizer {
  return {
    authorize: (access) => main.call('authorize', access),
    rulesFor: (user, namespace) => main.call('rulesFor', user, namespace),
  };
}

/** Store access for allocators and the like. */
function remoteStore(main: Main): NonNullable<RegistryServices['store']> {
  return {
    get: (key): Promise<EntryMessage | undefined> => main.call('storeGet', key),
    create: (key, value) => main.call('storeCreate', key, ownedBytes(value)),
    update: (key, value, expected) => main.call('storeUpdate', key, ownedBytes(value), expected),
  };
}

/** Entry point of a worker thread. */
export function serveInWorker(): void {
  const { ports, data } = workerData as WorkerThreadData<WorkerOptions>;
  const loop = new JobLoop(parentPort as MessagePort);
  loop.serve(workerApi(data, mainThreadBehind<WorkerCalls>(ports), loop));
}
