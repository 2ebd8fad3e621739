import type { KubeObject } from '@tsukube/machinery';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import { decodeObject } from '../../registry/stored-form.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { matchedVersion, namespaceNamed } from '../matching/match-criteria.ts';
import { isAdmissionConfiguration } from '../matching/rules.ts';
import type { PolicyHook } from './policy-source.ts';

/** A policy that matches a request, and the version in which it does. */
export interface MatchedHook<E> extends PolicyHook<E> {
  readonly version: ServedVersion;
}

const reviews: ReadonlySet<string> = new Set([
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/** Policies see neither writes of policies and webhooks nor reviews, without which a cluster does not work. */
export function isExempt(attributes: AdmissionAttributes): boolean {
  const { hub, names } = attributes.resource;
  return isAdmissionConfiguration(attributes) || reviews.has(`${hub.group}/${names.plural}`);
}

/** The policies that match. Synchronous if the namespaces that decide are cached. */
export function matchedHooks<E>(
  hooks: readonly PolicyHook<E>[],
  attributes: AdmissionAttributes,
  namespaces: ObjectCache | undefined,
): readonly MatchedHook<E>[] | Promise<readonly MatchedHook<E>[]> {
  const matched: MatchedHook<E>[] = [];
  for (const [i, hook] of hooks.entries()) {
    const version = matchedVersion(hook.policy.criteria, attributes, namespaces);
    if (version instanceof Promise) return waitAndMatch(version, hooks.slice(i), matched, attributes, namespaces);
    if (version) matched.push({ ...hook, version });
  }
  return matched;
}

async function waitAndMatch<E>(
  waiting: Promise<ServedVersion | undefined>,
  [hook, ...others]: readonly PolicyHook<E>[],
  before: readonly MatchedHook<E>[],
  attributes: AdmissionAttributes,
  namespaces: ObjectCache | undefined,
): Promise<readonly MatchedHook<E>[]> {
  const version = await waiting;
  const own = hook && version ? [{ ...hook, version }] : [];
  return [...before, ...own, ...(await matchedHooks(others, attributes, namespaces))];
}

/** The namespace of the request; null for cluster-scoped objects and for namespaces themselves. Rejects with 404. */
export async function namespaceOf(
  { resource, namespace }: AdmissionAttributes,
  namespaces: ObjectCache | undefined,
): Promise<KubeObject | null> {
  if (namespace === '' || (resource.hub.group === '' && resource.names.kind === 'Namespace')) return null;
  return decodeObject((await namespaceNamed(namespace, namespaces)).value);
}
