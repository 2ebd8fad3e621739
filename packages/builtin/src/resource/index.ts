import type { Resource } from '@tsukube/apiserver';
import { deviceClass } from './device-class.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { resourceSlice } from './resource-slice.ts';

export const deviceResources: readonly Resource[] = [deviceClass, resourceClaim, resourceClaimTemplate, resourceSlice];
