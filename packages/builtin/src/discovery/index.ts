import type { Resource } from '@tsukube/apiserver';
import { endpointSlice } from './endpoint-slice.ts';

export const discoveryResources: readonly Resource[] = [endpointSlice];
