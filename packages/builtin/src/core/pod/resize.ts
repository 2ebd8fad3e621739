import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import { resetObjectMetaForStatus } from '../../common/status-only.ts';
import { qosClassOf } from './qos.ts';
import { validatePod } from './validation.ts';

const specPath = path('spec');
const mirror = 'kubernetes.io/config.mirror';
const lists = ['containers', 'initContainers'];

/** Takes only resources and resizePolicy from the request; other differences are rejected by validateResize. */
export function prepareResize(pod: KubeObject, old: KubeObject): void {
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  if (lists.some((list) => objectsIn(spec, list).length !== objectsIn(oldSpec, list).length)) return;
  const { resources: _, ...rest } = oldSpec;
  const next: JsonObject = spec.resources === undefined ? rest : { ...rest, resources: spec.resources };
  for (const list of lists) if (spec[list] !== undefined) next[list] = resized(objectsIn(spec, list), objectsIn(oldSpec, list));
  pod.spec = next;
  pod.status = old.status ?? {};
  resetObjectMetaForStatus(pod, old);
}

function resized(containers: readonly JsonObject[], old: readonly JsonObject[]): JsonObject[] {
  if (containers.some((container, i) => container.name !== old[i]?.name)) return [...containers];
  return containers.map(({ resources, resizePolicy }, i) => {
    const { resizePolicy: _, ...rest } = old[i] ?? {};
    const next = { ...rest, resources: resources ?? {} };
    return resizePolicy === undefined ? next : { ...next, resizePolicy };
  });
}

export function validateResize(pod: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const rejection = rejectionOf(old);
  if (rejection !== undefined) {
    errors.forbidden(path(''), rejection);
    return;
  }
  const spec = specOf(pod);
  const oldSpec = specOf(old);
  const status = statusOf(old);
  validatePod(pod, errors);
  if ((textIn(status, 'qosClass') || qosClassOf(oldSpec)) !== qosClassOf(spec))
    errors.invalid(specPath, textIn(status, 'qosClass'), 'Pod QOS Class may not change as a result of resizing');
  if (!canResize(status)) errors.forbidden(specPath, 'Pod running on node without support for resize');
  validatePodLevel(spec, oldSpec, errors);
  if (!validateOrder(spec, oldSpec, errors)) return;
  for (const list of ['initContainers', 'containers']) validateContainers(spec, oldSpec, list, errors);
}

function rejectionOf(old: KubeObject): string | undefined {
  if (Object.hasOwn(mapIn(old.metadata, 'annotations'), mirror)) return 'static pods cannot be resized';
  const isWindows = objectIn(specOf(old), 'os')?.name === 'windows';
  return isWindows ? 'windows pods cannot be resized' : undefined;
}

/** The kubelet supports resize if it reports the resources of running containers. */
function canResize(status: JsonObject): boolean {
  const running = objectsIn(status, 'containerStatuses').find((container) => objectIn(objectIn(container, 'state'), 'running'));
  return running === undefined || running.resources !== undefined;
}

function validateOrder(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): boolean {
  const before = errors.length;
  for (const list of lists) {
    const [containers, old] = [objectsIn(spec, list), objectsIn(oldSpec, list)];
    const at = specPath.child(list);
    if (containers.length !== old.length) {
      errors.forbidden(at, `${list} may not be added or removed on resize`);
      continue;
    }
    for (const [i, container] of containers.entries())
      if (container.name !== old[i]?.name)
        errors.forbidden(at.index(i).child('name'), `${list} may not be renamed or reordered on resize`);
  }
  return errors.length === before;
}

function validatePodLevel(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  const [resources, old] = [objectIn(spec, 'resources'), objectIn(oldSpec, 'resources')];
  const at = specPath.child('resources');
  if (old && !resources) {
    errors.forbidden(at, 'pod-level resources cannot be removed');
    return;
  }
  if (!resources) return;
  validateNotRemoved(resources, old, 'pod-level resource ', at, errors);
  if (!deepEqual(immutableResources(resources), immutableResources(old)))
    errors.forbidden(specPath, 'only cpu and memory resources are mutable at pod-level');
}

function validateContainers(spec: JsonObject, oldSpec: JsonObject, list: string, errors: FieldErrors): void {
  const isInit = list === 'initContainers';
  const old = objectsIn(oldSpec, list);
  for (const [i, container] of objectsIn(spec, list).entries()) {
    const before = old[i] ?? {};
    const at = specPath.child(list).index(i);
    const [resources, oldResources] = [objectIn(container, 'resources'), objectIn(before, 'resources')];
    validateNotRemoved(resources ?? {}, oldResources, 'resource ', at.child('resources'), errors);
    const same = deepEqual(
      { ...container, resources: immutableResources(resources) },
      { ...before, resources: immutableResources(oldResources) },
    );
    const restarts = objectsIn(container, 'resizePolicy').some(({ restartPolicy }) => restartPolicy === 'RestartContainer');
    if (isInit && container.restartPolicy !== 'Always' && restarts && !deepEqual(container, before)) {
      const message = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
      errors.forbidden(at, message);
    }
    if (same) continue;
    if (isInit) errors.forbidden(at, 'only cpu and memory resources for init or sidecar containers are mutable');
    else errors.forbidden(specPath, 'only cpu and memory resources are mutable');
  }
}

function validateNotRemoved(
  resources: JsonObject,
  old: JsonObject | undefined,
  what: string,
  at: FieldPath,
  errors: FieldErrors,
): void {
  for (const list of ['requests', 'limits']) {
    const now = mapIn(resources, list);
    const removed = Object.keys(mapIn(old, list)).some((name) => !Object.hasOwn(now, name));
    if (removed) errors.forbidden(at.child(list), `${what}${list} cannot be removed`);
  }
}

/** The resources other than CPU and memory, which are immutable. */
function immutableResources(resources: JsonObject | undefined): JsonObject {
  const { requests: _requests, limits: _limits, ...rest } = resources ?? {};
  for (const list of ['requests', 'limits']) {
    const { cpu: _cpu, memory: _memory, ...others } = mapIn(resources, list);
    rest[list] = others;
  }
  return rest;
}
