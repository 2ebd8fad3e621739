import { type JsonObject, mapIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';

/** A pod, or the template of one, prepared for checks. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: JsonObject;
  /** The security context of the pod. */
  readonly securityContext: JsonObject | undefined;
  /** Init containers, containers, ephemeral containers. */
  readonly containers: readonly JsonObject[];
}

export interface Violation {
  /** A few words, such as `host namespaces`. */
  readonly reason: string;
  /** Containers and values. */
  readonly detail: string;
}

/** Undefined if the pod is allowed. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

export function checkedPod(metadata: JsonObject | undefined, spec: JsonObject): CheckedPod {
  return {
    annotations: mapIn(metadata, 'annotations'),
    spec,
    securityContext: objectIn(spec, 'securityContext'),
    containers: [
      ...objectsIn(spec, 'initContainers'),
      ...objectsIn(spec, 'containers'),
      ...objectsIn(spec, 'ephemeralContainers'),
    ],
  };
}

/** The names of the containers whose security context fails a test. */
export function containersFailing(
  { containers }: CheckedPod,
  fails: (securityContext: JsonObject | undefined) => boolean,
): readonly string[] {
  return objectNames(containers.filter((container) => fails(objectIn(container, 'securityContext'))));
}

export function objectNames(objects: readonly JsonObject[]): readonly string[] {
  return objects.map((object) => textIn(object, 'name'));
}

/** `container "a"` or `containers "a", "b"`. */
export function containersText(names: readonly string[]): string {
  return counted('container', names);
}

/** The word in singular or plural, and the items in quotes. */
export function counted(singular: string, items: readonly string[]): string {
  return `${plural(singular, items.length)} ${inQuotes(items)}`;
}

export function plural(singular: string, count: number): string {
  return count === 1 ? singular : `${singular}s`;
}

/** In quotes, without escaping. */
export function inQuotes(items: readonly string[]): string {
  return items.map((item) => `"${item}"`).join(', ');
}

/** `pod and container "a"`: the places that set a forbidden value. */
export function settersText(podSets: boolean, containers: readonly string[]): string {
  return [...(podSets ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
}

/** Sorted, without duplicates. */
export function distinct(items: Iterable<string>): readonly string[] {
  return [...new Set(items)].sort();
}

/** Allows pods of Windows. Their security contexts cannot have the fields of Linux. */
export function unlessWindows(check: CheckPod): CheckPod {
  return (pod) => (textIn(objectIn(pod.spec, 'os'), 'name') === 'windows' ? undefined : check(pod));
}

/** Allows pods with a user namespace of their own. */
export function unlessUserNamespace(check: CheckPod): CheckPod {
  return (pod) => (pod.spec.hostUsers === false ? undefined : check(pod));
}
