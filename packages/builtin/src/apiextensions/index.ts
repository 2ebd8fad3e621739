import type { Resource } from '@tsukube/apiserver';
import { customResourceDefinition } from './custom-resource-definition.ts';

export const apiExtensionsResources: readonly Resource[] = [customResourceDefinition];
