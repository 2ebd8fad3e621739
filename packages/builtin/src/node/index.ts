import type { Resource } from '@tsukube/apiserver';
import { runtimeClass } from './runtime-class.ts';

export const nodeResources: readonly Resource[] = [runtimeClass];
