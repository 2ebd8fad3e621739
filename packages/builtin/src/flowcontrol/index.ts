import type { Resource } from '@tsukube/apiserver';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

export const flowControlResources: readonly Resource[] = [flowSchema, priorityLevelConfiguration];
