import type { Resource } from '@tsukube/apiserver';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

export const autoscalingResources: readonly Resource[] = [horizontalPodAutoscaler];
