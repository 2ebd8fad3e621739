import type { Resource } from '@tsukube/apiserver';
import { priorityClass } from './priority-class.ts';

export const schedulingResources: readonly Resource[] = [priorityClass];
