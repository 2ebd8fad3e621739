import type { Authorizer, Resource } from '@tsukube/apiserver';
import { deviceClass } from './device-class.ts';
import { resourceClaim } from './resource-claim.ts';
import { resourceClaimTemplate } from './resource-claim-template.ts';
import { resourceSlice } from './resource-slice.ts';

export function deviceResources(authorizer: Authorizer): readonly Resource[] {
  return [deviceClass, resourceClaim(authorizer), resourceClaimTemplate, resourceSlice];
}
