import type { Resource } from '@tsukube/apiserver';
import { podTemplate } from '../pod-template.ts';
import { replicationController } from '../replication-controller.ts';
import { binding } from './binding.ts';
import { pod } from './pod.ts';

/** Pods, and what there was to make them before there were workloads. */
export const podResources: readonly Resource[] = [pod, binding, podTemplate, replicationController];
