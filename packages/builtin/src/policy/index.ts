import type { Resource } from '@tsukube/apiserver';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

export const policyResources: readonly Resource[] = [podDisruptionBudget];
