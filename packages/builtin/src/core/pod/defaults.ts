import {
  ensureObject,
  formatQuantity,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import { isHugePages, isOvercommitAllowed, roundRequirements, roundResources } from '../container/resource-requirements.ts';
import { defaultPodSpec, dropInitContainerAnnotations } from '../pod-spec/defaults.ts';
import { aggregateResources } from '../pod-spec/pod-resources.ts';

export function defaultPod(pod: KubeObject): void {
  dropInitContainerAnnotations(pod.metadata);
  pod.spec ??= {};
  const spec = specOf(pod);
  for (const field of ['containers', 'initContainers'])
    for (const container of objectsIn(spec, field)) defaultRequests(container);
  defaultPodResources(spec);
  defaultPodSpec(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork === true) shareHostPorts(spec);
  // Only for pods: controllers compare templates with the ones they wrote.
  if (numberIn(spec, 'terminationGracePeriodSeconds') < 0) spec.terminationGracePeriodSeconds = 1;
  pod.status ??= {};
  defaultPodStatus(statusOf(pod));
}

/** Requests default to limits. */
function defaultRequests(container: JsonObject): void {
  const resources = objectIn(container, 'resources');
  const limits = objectIn(resources, 'limits');
  if (!resources || !limits) return;
  resources.requests = { ...limits, ...objectIn(resources, 'requests') };
}

function shareHostPorts(spec: JsonObject): void {
  for (const field of ['containers', 'initContainers'])
    for (const container of objectsIn(spec, field))
      for (const port of objectsIn(container, 'ports'))
        if (numberIn(port, 'hostPort') === 0) port.hostPort = numberIn(port, 'containerPort');
}

/** Missing pod-level requests and limits default to the sum of the containers. */
function defaultPodResources(spec: JsonObject): void {
  const resources = objectIn(spec, 'resources');
  if (!resources) return;
  const limits = { ...mapIn(resources, 'limits') };
  const requests = { ...mapIn(resources, 'requests') };
  if (Object.keys(limits).length > 0 || Object.keys(requests).length > 0) {
    for (const [name, sum] of aggregateResources(spec, 'limits'))
      if (isHugePages(name) && requests[name] === undefined) limits[name] ??= formatQuantity(sum);
  }
  if (Object.keys(limits).length > 0) {
    for (const [name, sum] of aggregateResources(spec, 'requests'))
      if (isPodLevel(name) && isOvercommitAllowed(name)) requests[name] ??= formatQuantity(sum);
    for (const [name, limit] of Object.entries(limits)) if (isPodLevel(name)) requests[name] ??= limit;
  }
  if (Object.keys(limits).length > 0) resources.limits = limits;
  if (Object.keys(requests).length > 0) resources.requests = requests;
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

const statusLists = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'];

/** Keeps podIPs in step with podIP for clients that only know podIP. */
function defaultPodStatus(status: JsonObject): void {
  const addresses = objectsIn(status, 'podIPs');
  const address = textIn(status, 'podIP');
  if (address !== '' && textIn(addresses[0], 'ip') !== address) status.podIPs = [{ ip: address }];
  else if (addresses.length > 0) status.podIP = textIn(addresses[0], 'ip');
  for (const condition of objectsIn(status, 'conditions')) {
    condition.lastProbeTime ??= null;
    condition.lastTransitionTime ??= null;
  }
  for (const list of statusLists) for (const container of objectsIn(status, list)) defaultContainerStatus(container);
  roundResources(objectIn(status, 'allocatedResources'));
  roundRequirements(objectIn(status, 'resources'));
}

function defaultContainerStatus(status: JsonObject): void {
  for (const field of ['state', 'lastState']) {
    const state = ensureObject(status, field);
    const running = objectIn(state, 'running');
    if (running) running.startedAt ??= null;
    const terminated = objectIn(state, 'terminated');
    if (!terminated) continue;
    terminated.exitCode ??= 0;
    terminated.startedAt ??= null;
    terminated.finishedAt ??= null;
  }
  status.ready ??= false;
  status.restartCount ??= 0;
  status.image ??= '';
  status.imageID ??= '';
  roundResources(objectIn(status, 'allocatedResources'));
  roundRequirements(objectIn(status, 'resources'));
}
