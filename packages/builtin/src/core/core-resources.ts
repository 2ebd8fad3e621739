import type { Resource } from '@tsukube/apiserver';
import { service } from './service.ts';
import { serviceAccount } from './service-account.ts';

export const coreResources: readonly Resource[] = [serviceAccount, service()];
