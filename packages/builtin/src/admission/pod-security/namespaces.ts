import type { AdmissionAttributes } from '@tsukube/apiserver';
import { goQuote, type KubeObject, mapIn, StatusError } from '@tsukube/machinery';
import type { PodSecurityConfiguration } from './configuration.ts';
import { type ExistingPods, existingPodWarnings } from './existing-pods.ts';
import {
  hasSameEffect,
  isFullyPrivileged,
  isSameLevel,
  isStricter,
  labelOf,
  levelVersionText,
  type NamespacePolicy,
  policyModes,
  policyOf,
  type SecurityPolicy,
} from './policy.ts';

type Labels = Readonly<Record<string, string>>;

/** Validates the labels of a namespace. An update to a stricter level gives warnings about existing pods. */
export function admitNamespace(
  attributes: AdmissionAttributes,
  { defaults, exemptions }: PodSecurityConfiguration,
  existing: ExistingPods | undefined,
): void | Promise<void> {
  const { operation, object, oldObject, name, warn } = attributes;
  const labels = labelsOf(object);
  const next = policyOf(labels, defaults);
  const before = operation === 'UPDATE' ? policyOf(labelsOf(oldObject), defaults) : undefined;
  requireValid(next, before, attributes);
  if (before && !isTightened(next.policy, before.policy)) return;
  if (exemptions.namespaces.has(name)) {
    const warning = exemptionWarning(name, next.policy, labels, defaults);
    if (warning !== undefined) warn(warning);
    return;
  }
  if (before && existing) return warnOfPods(attributes, next.policy, existing);
}

function labelsOf(namespace: KubeObject | undefined): Labels {
  return mapIn(namespace?.metadata, 'labels');
}

/** Invalid labels may stay as they are. */
function requireValid(next: NamespacePolicy, before: NamespacePolicy | undefined, attributes: AdmissionAttributes): void {
  if (next.errors.length === 0 || (before && String(next.errors) === String(before.errors))) return;
  const { version, resource, name } = attributes;
  throw StatusError.invalid({ group: version.group, kind: resource.names.kind }, name, next.errors);
}

/** Whether existing pods may violate the new policy but not the old one. */
function isTightened({ enforce }: SecurityPolicy, { enforce: before }: SecurityPolicy): boolean {
  if (isSameLevel(enforce, before) || enforce.level === 'privileged') return false;
  return enforce.version !== before.version || isStricter(enforce.level, before.level);
}

/** Undefined if the labels have no effect beyond the defaults. */
function exemptionWarning(name: string, policy: SecurityPolicy, labels: Labels, defaults: SecurityPolicy): string | undefined {
  if (isFullyPrivileged(policy) || hasSameEffect(policy, defaults)) return undefined;
  const isLabelled = (label: string) => Object.hasOwn(labels, label);
  const ignored = policyModes.filter(
    (mode) => policy[mode].level !== 'privileged' && (isLabelled(labelOf(mode, 'level')) || isLabelled(labelOf(mode, 'version'))),
  );
  const text = ignored.map((mode) => `${mode}=${levelVersionText(policy[mode])}`).join(', ');
  return `namespace ${goQuote(name)} is exempt from Pod Security, and the policy (${text}) will be ignored`;
}

async function warnOfPods(
  { name, warn, signal }: AdmissionAttributes,
  policy: SecurityPolicy,
  existing: ExistingPods,
): Promise<void> {
  for (const warning of await existingPodWarnings(name, policy.enforce, existing, signal())) warn(warning);
}
