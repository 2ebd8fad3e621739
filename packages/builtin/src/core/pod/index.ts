import type { Authorizer, Resource } from '@tsukube/apiserver';
import { podTemplate } from '../pod-template.ts';
import { replicationController } from '../replication-controller.ts';
import { binding } from './binding.ts';
import { kubeletSubresources } from './kubelet-subresources.ts';
import { pod } from './pod.ts';

/** Pods, and what there was to make them before there were workloads. */
export function podResources(authorizer: Authorizer): readonly Resource[] {
  const subresources = { ...kubeletSubresources(authorizer), ...pod.subresources };
  return [{ ...pod, subresources }, binding, podTemplate, replicationController];
}
