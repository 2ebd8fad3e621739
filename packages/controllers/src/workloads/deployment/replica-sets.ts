import type { appsV1, metaV1 } from '@tsukube/api/kinds';
import { copyOf, isSame } from '../cluster/values.ts';
import { controllerRef } from '../pods/ownership.ts';
import { templateHash } from '../pods/pod-template.ts';

type Deployment = appsV1.Deployment;
type ReplicaSet = appsV1.ReplicaSet;

export const hashLabel = 'pod-template-hash';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const revisionHistoryAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredReplicasAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxReplicasAnnotation = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a Deployment that its ReplicaSets do not get. */
const notCopied = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
  'deprecated.deployment.rollback.to',
]);

const maxHistoryLength = 2000;
const maxNameLength = 253;

export function replicasOf({ spec }: { readonly spec: { readonly replicas?: number } }): number {
  return spec.replicas ?? 1;
}

export function isRollingUpdate({ spec }: Deployment): boolean {
  return (spec.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** The values of maxSurge and maxUnavailable in pods. At least one of them is not 0, so that a rollout makes progress. */
function fenceposts({ spec }: Deployment): { surge: number; unavailable: number } {
  const replicas = spec.replicas ?? 1;
  const { maxSurge = 0, maxUnavailable = 0 } = spec.strategy?.rollingUpdate ?? {};
  const surge = scaled(maxSurge, replicas, Math.ceil);
  const unavailable = scaled(maxUnavailable, replicas, Math.floor);
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

/** An IntOrString: a number, or a percentage of a total. */
export function scaled(value: number | string, total: number, round: (x: number) => number): number {
  if (typeof value === 'number') return value;
  const percent = Number(value.replace(/%$/, ''));
  return Number.isFinite(percent) ? round((percent * total) / 100) : 0;
}

export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  return isRollingUpdate(deployment) && replicas > 0 ? Math.min(fenceposts(deployment).unavailable, replicas) : 0;
}

/** Whether a ReplicaSet has the template of the Deployment. */
export function hasTemplate({ spec }: ReplicaSet, deployment: Deployment): boolean {
  return isSame(withoutHash(spec.template), withoutHash(deployment.spec.template));
}

function withoutHash(template: appsV1.ReplicaSetSpec['template']): unknown {
  const { [hashLabel]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** The new ReplicaSet is the oldest with the template of the Deployment. */
export function findNewReplicaSet(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return [...sets].sort(byCreation).find((set) => hasTemplate(set, deployment));
}

export function byCreation(a: ReplicaSet, b: ReplicaSet): number {
  return compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compareText(a.metadata.name, b.metadata.name);
}

function compareText(a = '', b = ''): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function sum(sets: readonly (ReplicaSet | undefined)[], count: (set: ReplicaSet) => number | undefined): number {
  return sets.reduce((total, set) => total + (set ? (count(set) ?? 0) : 0), 0);
}

export function revisionOf({ metadata }: { readonly metadata: metaV1.ObjectMeta }): number {
  const revision = Number(metadata.annotations?.[revisionAnnotation] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
}

export function maxRevision(sets: readonly ReplicaSet[]): number {
  return sets.reduce((max, set) => Math.max(max, revisionOf(set)), 0);
}

/** The ReplicaSet of the current template, without its replicas. */
export function newReplicaSet(deployment: Deployment): Omit<ReplicaSet, 'apiVersion' | 'kind'> {
  const { metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const template = copyOf(spec.template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const selector = copyOf(spec.selector);
  return {
    metadata: {
      name: `${metadata.name?.slice(0, maxNameLength - 1 - hash.length)}-${hash}`,
      namespace: metadata.namespace ?? '',
      ownerReferences: [controllerRef(deployment)],
      labels,
    },
    spec: {
      replicas: 0,
      ...(spec.minReadySeconds && { minReadySeconds: spec.minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The annotations of the new ReplicaSet: those of the Deployment, its revision and, of one that was rolled back to, former revisions. */
export function annotationsOf(
  deployment: Deployment,
  set: Omit<ReplicaSet, 'apiVersion' | 'kind'>,
  revision: number,
): Record<string, string> {
  const annotations = { ...set.metadata.annotations };
  for (const [key, value] of Object.entries(deployment.metadata.annotations ?? {})) {
    if (!notCopied.has(key)) annotations[key] = value;
  }
  const former = annotations[revisionAnnotation];
  if (former !== undefined && !/^[0-9]+$/.test(former)) return annotations;
  if (Number(former ?? 0) >= revision) return annotations;
  annotations[revisionAnnotation] = String(revision);
  if (former !== undefined) annotations[revisionHistoryAnnotation] = historyWith(annotations[revisionHistoryAnnotation], former);
  return annotations;
}

function historyWith(history: string | undefined, revision: string): string {
  const revisions = history ? history.split(',') : [];
  while (revisions.length > 0 && revisions.join(',').length + 1 + revision.length > maxHistoryLength) revisions.shift();
  return [...revisions, revision].join(',');
}

/** The annotations by which a later scaling of the Deployment is recognized. */
export function replicasAnnotations(deployment: Deployment): Record<string, string> {
  const replicas = replicasOf(deployment);
  return {
    [desiredReplicasAnnotation]: String(replicas),
    [maxReplicasAnnotation]: String(replicas + maxSurge(deployment)),
  };
}

export function desiredReplicas(set: ReplicaSet): number | undefined {
  return countIn(set, desiredReplicasAnnotation);
}

export function maxReplicas(set: ReplicaSet): number | undefined {
  return countIn(set, maxReplicasAnnotation);
}

function countIn({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^[0-9]{1,9}$/.test(text) ? Number(text) : undefined;
}
