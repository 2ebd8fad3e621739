import {
  type GroupVersionKind,
  type JsonObject,
  metadataOf,
  objectIn,
  parseApiVersion,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { decodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { type CompiledObjects, compiledObjects } from '../matching/compiled-objects.ts';
import { compileMatchResources, type MatchCriteria } from '../matching/match-criteria.ts';

/** A policy with its compiled expressions. */
export interface Policy<E> {
  readonly name: string;
  readonly failurePolicy: string;
  readonly criteria: MatchCriteria;
  readonly paramKind: GroupVersionKind | undefined;
  /** Compiled on first use. */
  readonly evaluator: E;
  /** The expressions are too long to be compiled on the event loop. */
  readonly isHeavy: boolean;
}

export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  /** Undefined if the binding applies to all requests that the policy matches. */
  readonly criteria: MatchCriteria | undefined;
  readonly paramRef: JsonObject | undefined;
  readonly validationActions: readonly string[];
}

/** A policy with its bindings, of which there is at least one. */
export interface PolicyHook<E> {
  readonly policy: Policy<E>;
  readonly bindings: readonly PolicyBinding[];
}

/** The policies that have bindings, in the order of their names. */
export interface PolicySource<E> {
  hooks(): readonly PolicyHook<E>[] | Promise<readonly PolicyHook<E>[]>;
}

export interface PolicyCaches {
  /** Undefined if the kinds are not served. */
  readonly policies: ObjectCache | undefined;
  readonly bindings: ObjectCache | undefined;
}

const none: readonly never[] = [];

/** Expressions of this length take about 20 ms to compile. */
const heavyBytes = 32 * 1024;

/** Policies are compiled once for each of their revisions. */
export function policySource<E>(
  { policies, bindings }: PolicyCaches,
  compile: (spec: JsonObject, name: string) => E,
): PolicySource<E> {
  const compiledPolicies = compiledObjects(policies, (entry) => policyOf(entry, compile));
  const compiledBindings = compiledObjects(bindings, bindingOf);
  const joined = new JoinedHooks<E>();
  return {
    hooks() {
      const found = compiledBindings.all();
      if (found instanceof Promise) return found.then((all) => joined.withPolicies(all, compiledPolicies));
      return found.length === 0 ? none : joined.withPolicies(found, compiledPolicies);
    },
  };
}

function policyOf<E>(entry: CacheEntry, compile: (spec: JsonObject, name: string) => E): Policy<E> | undefined {
  if (entry.corrupt) return undefined;
  const object = decodeObject(entry.value);
  const spec = objectIn(object, 'spec') ?? {};
  const name = textIn(metadataOf(object), 'name');
  let evaluator: E | undefined;
  return {
    name,
    failurePolicy: textIn(spec, 'failurePolicy') || 'Fail',
    criteria: compileMatchResources(objectIn(spec, 'matchConstraints')),
    paramKind: paramKindOf(objectIn(spec, 'paramKind')),
    get evaluator() {
      evaluator ??= compile(spec, name);
      return evaluator;
    },
    isHeavy: entry.value.length > heavyBytes,
  };
}

function paramKindOf(paramKind: JsonObject | undefined): GroupVersionKind | undefined {
  const version = paramKind && parseApiVersion(textIn(paramKind, 'apiVersion'));
  return version && { ...version, kind: textIn(paramKind, 'kind') };
}

function bindingOf(entry: CacheEntry): PolicyBinding | undefined {
  if (entry.corrupt) return undefined;
  const object = decodeObject(entry.value);
  const spec = objectIn(object, 'spec');
  const match = objectIn(spec, 'matchResources');
  return {
    name: textIn(metadataOf(object), 'name'),
    policyName: textIn(spec, 'policyName'),
    criteria: match && compileMatchResources(match),
    paramRef: objectIn(spec, 'paramRef'),
    validationActions: textsIn(spec, 'validationActions'),
  };
}

/** Joins policies and bindings again only if either has changed. */
class JoinedHooks<E> {
  #policies: readonly (Policy<E> | undefined)[] = none;
  #bindings: readonly (PolicyBinding | undefined)[] = none;
  #hooks: readonly PolicyHook<E>[] = none;

  withPolicies(
    bindings: readonly (PolicyBinding | undefined)[],
    source: CompiledObjects<Policy<E> | undefined>,
  ): readonly PolicyHook<E>[] | Promise<readonly PolicyHook<E>[]> {
    if (bindings.length === 0) return none;
    const policies = source.all();
    return policies instanceof Promise ? policies.then((all) => this.#join(all, bindings)) : this.#join(policies, bindings);
  }

  #join(
    policies: readonly (Policy<E> | undefined)[],
    bindings: readonly (PolicyBinding | undefined)[],
  ): readonly PolicyHook<E>[] {
    if (isSameList(policies, this.#policies) && isSameList(bindings, this.#bindings)) return this.#hooks;
    const byPolicy = bindingsByPolicy(present(bindings));
    this.#policies = policies;
    this.#bindings = bindings;
    this.#hooks = present(policies).flatMap((policy) => {
      const own = byPolicy.get(policy.name);
      return own ? [{ policy, bindings: own }] : [];
    });
    return this.#hooks;
  }
}

function bindingsByPolicy(bindings: readonly PolicyBinding[]): ReadonlyMap<string, readonly PolicyBinding[]> {
  const groups = new Map<string, PolicyBinding[]>();
  for (const binding of bindings) {
    const group = groups.get(binding.policyName);
    if (group) group.push(binding);
    else groups.set(binding.policyName, [binding]);
  }
  return groups;
}

function present<T>(list: readonly (T | undefined)[]): T[] {
  return list.filter((item) => item !== undefined);
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}
