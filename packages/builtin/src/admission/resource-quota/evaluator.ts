import type { AdmissionAttributes, Resource } from '@tsukube/apiserver';
import { type GroupResource, type JsonObject, memoize } from '@tsukube/machinery';
import { oneQuantity, type ResourceList } from './resource-list.ts';
import type { ScopeFacts } from './scopes.ts';

/** The usage of one object. */
export interface ObjectUsage {
  readonly usage: ResourceList;
  /** Absent if no scope applies to the kind. */
  readonly facts?: ScopeFacts;
}

/** Measures the objects of one resource for quota. */
export interface Evaluator extends GroupResource {
  /** Whether a CREATE or UPDATE may change usage. */
  handles(attributes: AdmissionAttributes): boolean;
  /** The names of a quota that the objects of this resource use. */
  matchingResources(names: readonly string[]): readonly string[];
  measure(object: JsonObject): ObjectUsage;
  /** Whether every object uses the same, so that they are counted without being read. */
  readonly isCount: boolean;
  /** Whether usage depends on the object alone: not on the time, nor on other objects. */
  isStable(object: JsonObject): boolean;
  /** Waits until the caches of other resources that it reads are fresh; undefined if they are. */
  fresh?(): Promise<unknown> | undefined;
  /** The error for an object that lacks values for required resources. */
  constraints?(required: readonly string[], object: JsonObject): string | undefined;
}

export function objectCountName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

const createsOnly = ({ operation, subresource }: AdmissionAttributes) => operation === 'CREATE' && subresource === '';

/** Counts objects. `alias` is the name that predates `count/…`. */
export function objectCountEvaluator(counted: GroupResource, alias?: string): Evaluator {
  const { group, resource } = counted;
  const names = [objectCountName(counted), ...(alias === undefined ? [] : [alias])];
  const measurement: ObjectUsage = { usage: new Map(names.map((name) => [name, oneQuantity])) };
  return {
    group,
    resource,
    handles: createsOnly,
    matchingResources: (given) => given.filter((name) => names.includes(name)),
    measure: () => measurement,
    isCount: true,
    isStable: () => true,
  };
}

/** Resources that are not stored, and events. */
const ignored = new Set([
  'bindings',
  'componentstatuses',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'events',
  'events.events.k8s.io',
]);

const aliases = ['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets'];

/** Evaluators by resource. Those of generic object counts are made on first use. */
export class EvaluatorRegistry {
  readonly #special: ReadonlyMap<string, Evaluator>;

  /** Null if the resource is not counted. */
  readonly of: (resource: Resource) => Evaluator | null = memoize((resource) => this.#find(resource));

  constructor(special: readonly Evaluator[]) {
    const legacy = aliases.map((resource) => objectCountEvaluator({ group: '', resource }, resource));
    this.#special = new Map([...special, ...legacy].map((evaluator) => [nameOf(evaluator), evaluator]));
  }

  #find({ names, hub, scope }: Resource): Evaluator | null {
    const counted = { group: hub.group, resource: names.plural };
    if (scope !== 'Namespaced' || ignored.has(nameOf(counted))) return null;
    return this.#special.get(nameOf(counted)) ?? objectCountEvaluator(counted);
  }
}

function nameOf(counted: GroupResource): string {
  return objectCountName(counted).slice('count/'.length);
}
