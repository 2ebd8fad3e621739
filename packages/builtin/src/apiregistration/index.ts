import type { Resource } from '@tsukube/apiserver';
import { apiService } from './api-service.ts';

export const apiRegistrationResources: readonly Resource[] = [apiService];
