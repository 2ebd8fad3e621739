import type { AdmissionAttributes } from '@tsukube/apiserver';
import { goQuote, type JsonObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import { checkedPod } from './check.ts';
import type { PodTemplate } from './checked-resources.ts';
import type { PodSecurityConfiguration } from './configuration.ts';
import { detailsText, violationsOf } from './evaluator.ts';
import type { PodSecurityMetrics } from './metrics.ts';
import {
  isSameLevel,
  type LevelVersion,
  labelPrefix,
  levelVersionText,
  type NamespacePolicy,
  type PolicyMode,
} from './policy.ts';

export type PodEvaluator = (
  pod: PodTemplate,
  namespace: NamespacePolicy,
  attributes: AdmissionAttributes,
  enforces: boolean,
) => void;

/** Evaluates the policy of a namespace. Throws Forbidden if the pod violates the enforced level. */
export function podSecurityEvaluator({ exemptions }: PodSecurityConfiguration, metrics: PodSecurityMetrics): PodEvaluator {
  return ({ metadata, spec }, { policy, errors }, attributes, enforces) => {
    const { annotate, warn } = attributes;
    if (exemptions.runtimeClasses.has(textIn(spec, 'runtimeClassName'))) return exempt(attributes, 'runtimeClass', metrics);
    if (errors.length > 0) {
      annotate(`${labelPrefix}error`, `Failed to parse policy: ${errors}`);
      metrics.failed(false, attributes);
    }
    const pod = checkedPod(metadata, spec);
    const details = inModes(policy, (levelVersion) => detailsText(violationsOf(pod, levelVersion)));
    if (enforces) annotate(`${labelPrefix}enforce-policy`, levelVersionText(policy.enforce));
    const denied = enforces ? details('enforce') : '';
    if (enforces) metrics.evaluated(denied === '' ? 'allow' : 'deny', policy.enforce, 'enforce', attributes);
    const audited = details('audit');
    if (audited !== '') {
      annotate(`${labelPrefix}audit-violations`, wouldViolate(policy.audit, audited));
      metrics.evaluated('deny', policy.audit, 'audit', attributes);
    }
    if (denied !== '')
      throw forbidden(attributes, `violates PodSecurity ${goQuote(levelVersionText(policy.enforce))}: ${denied}`);
    const warned = details('warn');
    if (warned === '') return;
    warn(wouldViolate(policy.warn, warned));
    metrics.evaluated('deny', policy.warn, 'warn', attributes);
  };
}

/** Evaluates each level and version once. */
function inModes(policy: NamespacePolicy['policy'], evaluate: (levelVersion: LevelVersion) => string) {
  const known: [LevelVersion, string][] = [];
  return (mode: PolicyMode): string => {
    const levelVersion = policy[mode];
    const found = known.find(([other]) => isSameLevel(other, levelVersion));
    if (found) return found[1];
    const text = evaluate(levelVersion);
    known.push([levelVersion, text]);
    return text;
  };
}

function wouldViolate(policy: LevelVersion, details: string): string {
  return `would violate PodSecurity ${goQuote(levelVersionText(policy))}: ${details}`;
}

function forbidden({ resource, version, name, object }: AdmissionAttributes, reason: string): StatusError {
  const subject = name || (object?.metadata.name ?? '');
  return StatusError.forbidden({ group: version.group, resource: resource.names.plural }, subject, reason);
}

export function exempt(attributes: AdmissionAttributes, reason: string, metrics: PodSecurityMetrics): void {
  metrics.exempted(attributes);
  attributes.annotate(`${labelPrefix}exempt`, reason);
}

/** Whether an update adds containers or changes images. Other updates do not change anything that checks read. */
export function isSignificantUpdate(pod: JsonObject, before: JsonObject): boolean {
  const [spec, old] = [objectIn(pod, 'spec'), objectIn(before, 'spec')];
  const isChanged = (field: string) => {
    const [containers, others] = [objectsIn(spec, field), objectsIn(old, field)];
    return containers.length !== others.length || containers.some((container, i) => container.image !== others[i]?.image);
  };
  if (isChanged('containers') || isChanged('initContainers')) return true;
  const images = new Map(objectsIn(old, 'ephemeralContainers').map(({ name, image }) => [name, image ?? '']));
  return objectsIn(spec, 'ephemeralContainers').some(({ name, image }) => images.get(name) !== (image ?? ''));
}
