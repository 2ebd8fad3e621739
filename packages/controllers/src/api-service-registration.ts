import {
  decodeObject,
  deleteObject,
  follow,
  nameOfKey,
  priorityOf,
  settleRaces,
  updateExisting,
  WorkQueue,
} from '@tsukube/apiserver';
import type { CustomApi } from '@tsukube/crds';
import { deepEqual, type GroupVersion, type JsonObject, type KubeObject, objectIn } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed, writeAs } from './controller.ts';

const label = 'kube-aggregator.kubernetes.io/automanaged';

/** Creates an APIService for each group version that this server serves itself. Those of built-in kinds are not restored when changed. */
export function apiServiceController(context: ControllerContext, custom: CustomApi | undefined): RunningController {
  const services = registryNamed(context, 'apiservices');
  const builtIn = builtInVersions(context);

  const desired = (name: string): JsonObject | undefined => {
    const dot = name.indexOf('.');
    const version = { version: name.slice(0, dot), group: name.slice(dot + 1) };
    if (builtIn.has(name)) return apiService(name, version, 'onstart');
    return custom?.isDefined(version) ? apiService(name, version, 'true') : undefined;
  };

  const reconcile = async (name: string): Promise<void> => {
    const entry = await services.cache.get(services.key('', name));
    const service = desired(name);
    if (!entry) return service && void (await services.create(service, writeAsServer()));
    const found = decodeObject(entry.value);
    const managed = found.metadata.labels?.[label];
    if (managed !== 'true' && managed !== 'onstart') return;
    if (!service) return managed === 'true' ? void (await deleteObject(services, name, {}, writeAsServer())) : undefined;
    if (managed === 'onstart' || deepEqual(found.spec, service.spec)) return;
    const withSpec = (existing: KubeObject) => ({ ...existing, spec: objectIn(service, 'spec') ?? {} });
    await updateExisting(services, name, undefined, withSpec, writeAsServer());
  };

  const writeAsServer = () => ({ ...writeAs(services, ''), fieldManager: 'kube-apiserver' });
  const queue = new WorkQueue((name) => settleRaces(() => reconcile(name)), context.logger);
  const addAll = (versions: Iterable<GroupVersion>) => {
    for (const { group, version } of versions) queue.add(`${version}.${group}`);
  };
  for (const name of builtIn) queue.add(name);
  let stopped = false;
  const stops: (() => void)[] = [];
  const followDefinitions = (from: CustomApi): void => {
    if (stopped) return;
    addAll(from.groupVersions());
    stops.push(from.onChange((touched) => addAll(touched ?? from.groupVersions())));
    // Restores changed and deleted APIServices of definitions and deletes obsolete ones.
    const again = follow(services.cache, (entry) => {
      const { name } = nameOfKey(services.resource, entry.key);
      if (!builtIn.has(name)) queue.add(name);
    });
    stops.push(again);
  };
  if (custom) void custom.whenRead().then(() => followDefinitions(custom));
  return {
    stop() {
      stopped = true;
      queue.stop();
      for (const stop of stops) stop();
    },
  };
}

/** Versions of built-in resources, without apiregistration.k8s.io itself. */
function builtInVersions({ resources }: ControllerContext): ReadonlySet<string> {
  const versions = resources.filter(({ state }) => state === undefined).flatMap((resource) => resource.versions);
  const others = versions.filter(({ group }) => group !== 'apiregistration.k8s.io');
  return new Set(others.map(({ group, version }) => `${version}.${group}`));
}

function apiService(name: string, { group, version }: GroupVersion, managed: string): JsonObject {
  const priority = priorityOf(group, version);
  return {
    kind: 'APIService',
    apiVersion: 'apiregistration.k8s.io/v1',
    metadata: { name, labels: { [label]: managed } },
    spec: {
      ...(group !== '' && { group }),
      version,
      groupPriorityMinimum: priority.group,
      versionPriority: priority.version,
    },
  };
}
