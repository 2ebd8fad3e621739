import type { appsV1, autoscalingV2, batchV1, coordinationV1, coreV1, discoveryV1 } from '@tsukube/api/kinds';
import type { Logger } from '@tsukube/apiserver';
import type { ApiObject } from '@tsukube/client';
import type { LabelSelector } from '@tsukube/machinery';
import type { Lister } from './lister.ts';

/** The resources that workload controllers and simulated nodes read and write, by their plural names. */
export interface Kinds {
  configmaps: coreV1.ConfigMap;
  controllerrevisions: appsV1.ControllerRevision;
  cronjobs: batchV1.CronJob;
  daemonsets: appsV1.DaemonSet;
  deployments: appsV1.Deployment;
  endpoints: coreV1.Endpoints;
  endpointslices: discoveryV1.EndpointSlice;
  events: coreV1.Event;
  horizontalpodautoscalers: autoscalingV2.HorizontalPodAutoscaler;
  jobs: batchV1.Job;
  leases: coordinationV1.Lease;
  nodes: coreV1.Node;
  persistentvolumeclaims: coreV1.PersistentVolumeClaim;
  persistentvolumes: coreV1.PersistentVolume;
  pods: coreV1.Pod;
  replicasets: appsV1.ReplicaSet;
  services: coreV1.Service;
  statefulsets: appsV1.StatefulSet;
}

export type Plural = keyof Kinds;

/** apiVersion, kind and scope of each resource. */
export const resourceTypes: { readonly [P in Plural]: { apiVersion: string; kind: string; isNamespaced: boolean } } = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap', isNamespaced: true },
  controllerrevisions: { apiVersion: 'apps/v1', kind: 'ControllerRevision', isNamespaced: true },
  cronjobs: { apiVersion: 'batch/v1', kind: 'CronJob', isNamespaced: true },
  daemonsets: { apiVersion: 'apps/v1', kind: 'DaemonSet', isNamespaced: true },
  deployments: { apiVersion: 'apps/v1', kind: 'Deployment', isNamespaced: true },
  endpoints: { apiVersion: 'v1', kind: 'Endpoints', isNamespaced: true },
  endpointslices: { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', isNamespaced: true },
  events: { apiVersion: 'v1', kind: 'Event', isNamespaced: true },
  horizontalpodautoscalers: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', isNamespaced: true },
  jobs: { apiVersion: 'batch/v1', kind: 'Job', isNamespaced: true },
  leases: { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', isNamespaced: true },
  nodes: { apiVersion: 'v1', kind: 'Node', isNamespaced: false },
  persistentvolumeclaims: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', isNamespaced: true },
  persistentvolumes: { apiVersion: 'v1', kind: 'PersistentVolume', isNamespaced: false },
  pods: { apiVersion: 'v1', kind: 'Pod', isNamespaced: true },
  replicasets: { apiVersion: 'apps/v1', kind: 'ReplicaSet', isNamespaced: true },
  services: { apiVersion: 'v1', kind: 'Service', isNamespaced: true },
  statefulsets: { apiVersion: 'apps/v1', kind: 'StatefulSet', isNamespaced: true },
};

/** An object without apiVersion and kind, which follow from the resource. */
export type WithoutTypeMeta<T> = Omit<T, 'apiVersion' | 'kind'> & Partial<Pick<ApiObject, 'apiVersion' | 'kind'>>;

/** A PodMetrics of metrics.k8s.io. */
export interface PodMetrics {
  readonly name: string;
  readonly containers: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

export interface ClusterDeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Rejects with a conflict unless the object has this uid. */
  readonly uid?: string | undefined;
}

/**
 * An API server as controllers see it. Writes reject with StatusError. When a write resolves, the store of the resource holds
 * its result, so that no controller acts twice on an outdated state.
 */
export interface Cluster {
  readonly now: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  readonly logger: Logger;
  /** The objects of a resource as last seen: listed and watched from the first call on. Objects must not be changed. */
  objects<P extends Plural>(plural: P): Lister<Kinds[P]>;
  /** Resolves when all stores asked for so far are complete. */
  synced(): Promise<void>;
  create<P extends Plural>(plural: P, object: WithoutTypeMeta<Kinds[P]>): Promise<Kinds[P]>;
  /** Rejects with a conflict if the object has a resourceVersion that is not current. */
  update<P extends Plural>(plural: P, object: Kinds[P], subresource?: 'status'): Promise<Kinds[P]>;
  delete(plural: Plural, object: ApiObject, options?: ClusterDeleteOptions): Promise<void>;
  /** The binding subresource. */
  bind(pod: coreV1.Pod, node: string): Promise<void>;
  /** The metrics of pods from metrics.k8s.io. Rejects if nothing serves it. */
  podMetrics(namespace: string, selector: LabelSelector): Promise<PodMetrics[]>;
  /** The same server, written to as another component, which owns the fields. */
  as(component: string): Cluster;
  stop(): void;
}
