import { type AdmissionAttributes, type AdmissionPlugin, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import {
  aggregateMessage,
  ensureObject,
  type JsonObject,
  mapIn,
  metadataOf,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { decodedObjects, whenFresh } from '../common/cached-objects.ts';
import { addToMap, isPodRequest } from '../common/plugin.ts';
import { claimProblems, podProblems } from './limit-constraints.ts';

const annotation = 'kubernetes.io/limit-ranger';

type Limits = readonly JsonObject[];

/** LimitRanger: defaults and bounds of the resources of pods and claims. `ranges` is undefined if LimitRanges are not served. */
export function limitRanger(ranges: ObjectCache | undefined): AdmissionPlugin {
  const decoded = decodedObjects();
  const forEachRange = (attributes: AdmissionAttributes, act: (limits: Limits) => void): void | Promise<void> => {
    if (!ranges || !attributes.object || attributes.oldObject?.metadata.deletionTimestamp) return;
    return whenFresh(ranges, () => {
      for (const entry of ranges.slice(`${ranges.prefix}${attributes.namespace}/`))
        act(objectsIn(objectIn(decoded(entry), 'spec'), 'limits'));
    });
  };
  return {
    name: 'LimitRanger',
    mutate(attributes) {
      if (isLimitedPod(attributes)) return forEachRange(attributes, (limits) => setDefaults(attributes.object, limits));
    },
    validate(attributes) {
      const problemsOf = isLimitedPod(attributes) ? podProblems : isLimitedClaim(attributes) ? claimProblems : undefined;
      if (problemsOf)
        return forEachRange(attributes, (limits) => enforce(attributes, problemsOf(specOf(attributes.object), limits)));
    },
  };
}

/** Updates cannot change the resources of a pod, except through `resize`. */
function isLimitedPod(attributes: AdmissionAttributes): boolean {
  const { operation } = attributes;
  return (operation === 'CREATE' && isPodRequest(attributes)) || (operation === 'UPDATE' && isPodRequest(attributes, 'resize'));
}

function isLimitedClaim({ operation, resource, subresource }: AdmissionAttributes): boolean {
  if (resource.names.plural !== 'persistentvolumeclaims' || resource.hub.group !== '') return false;
  return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
}

function specOf(object: JsonObject | undefined): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

function enforce(attributes: AdmissionAttributes, problems: readonly string[]): void {
  if (problems.length > 0) throw forbiddenByAdmission(attributes, aggregateMessage(problems));
}

const containerLists = { containers: 'container', initContainers: 'init container' } as const;

/** Sets missing requests and limits of containers, and lists them in an annotation. */
function setDefaults(pod: JsonObject | undefined, limits: Limits): void {
  const [requests, most] = [defaultsIn(limits, 'defaultRequest'), defaultsIn(limits, 'default')];
  if (!pod || (requests.size === 0 && most.size === 0)) return;
  const set: string[] = [];
  for (const [list, title] of Object.entries(containerLists)) {
    for (const container of objectsIn(specOf(pod), list)) {
      const subject = `for ${title} ${textIn(container, 'name')}`;
      const limited = fillResources(container, 'limits', most);
      const requested = fillResources(container, 'requests', requests);
      if (requested.length > 0) set.push(`${requested.join(', ')} request ${subject}`);
      if (limited.length > 0) set.push(`${limited.join(', ')} limit ${subject}`);
    }
  }
  if (set.length > 0) addToMap(metadataOf(pod), 'annotations', { [annotation]: `LimitRanger plugin set: ${set.join('; ')}` });
}

/** Defaults of containers. A later limit overrides an earlier one. */
function defaultsIn(limits: Limits, field: 'default' | 'defaultRequest'): ReadonlyMap<string, string> {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  return new Map(ofContainers.flatMap((limit) => Object.entries(mapIn(limit, field))));
}

/** Returns the names of the resources that were missing, sorted. */
function fillResources(container: JsonObject, list: 'requests' | 'limits', defaults: ReadonlyMap<string, string>): string[] {
  const given = mapIn(objectIn(container, 'resources'), list);
  const missing = [...defaults.keys()].filter((name) => !Object.hasOwn(given, name)).sort();
  if (missing.length === 0) return missing;
  const added = Object.fromEntries(missing.map((name) => [name, defaults.get(name) ?? '']));
  addToMap(ensureObject(container, 'resources'), list, added);
  return missing;
}
