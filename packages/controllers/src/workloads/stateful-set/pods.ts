import type { appsV1, coreV1 } from '@tsukube/api/kinds';
import type { WithoutTypeMeta } from '../cluster/cluster.ts';
import { revisionLabel } from '../pods/controller-revisions.ts';
import { controllerRef } from '../pods/ownership.ts';
import { podFromTemplate } from '../pods/pod-template.ts';

type StatefulSet = appsV1.StatefulSet;

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

/** The ordinal in a pod's name; undefined if the pod is not one of the set. */
export function ordinalOf({ metadata }: StatefulSet, name: string | undefined): number | undefined {
  const prefix = `${metadata.name}-`;
  const rest = name?.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^[0-9]{1,9}$/.test(rest) ? Number(rest) : undefined;
}

export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0;
}

/** The pod of an ordinal, with its identity: name, hostname, labels and claims. */
export function statefulPod(
  set: StatefulSet,
  template: coreV1.PodTemplateSpec,
  revision: string,
  ordinal: number,
): WithoutTypeMeta<coreV1.Pod> {
  const pod = podFromTemplate(template, set);
  const name = `${set.metadata.name}-${ordinal}`;
  const labels = { ...pod.metadata.labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal), [revisionLabel]: revision };
  const { generateName: _, ...metadata } = pod.metadata;
  const claims = claimTemplates(set).map(({ metadata: { name: volume = '' } }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: `${volume}-${name}` },
  }));
  const names = new Set(claims.map((volume) => volume.name));
  const volumes = [...claims, ...(pod.spec?.volumes ?? []).filter((volume) => !names.has(volume.name))];
  const spec = {
    ...(pod.spec as coreV1.PodSpec),
    hostname: name,
    ...(set.spec?.serviceName && { subdomain: set.spec.serviceName }),
    ...(volumes.length > 0 && { volumes }),
  };
  return { ...pod, metadata: { ...metadata, generateName: `${set.metadata.name}-`, name, labels }, spec };
}

function claimTemplates({ spec }: StatefulSet): coreV1.PersistentVolumeClaim[] {
  return spec?.volumeClaimTemplates ?? [];
}

/** The claims of a pod. They stay when the set shrinks or is deleted, unless its policy says otherwise. */
export function claimsOf(set: StatefulSet, podName: string): WithoutTypeMeta<coreV1.PersistentVolumeClaim>[] {
  const isOwned = set.spec?.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
  return claimTemplates(set).map(({ metadata, spec }) => ({
    metadata: {
      ...metadata,
      name: `${metadata.name}-${podName}`,
      namespace: set.metadata.namespace ?? '',
      labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
      ...(isOwned && { ownerReferences: [controllerRef(set)] }),
    },
    spec,
  }));
}
