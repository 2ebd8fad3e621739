import type { Resource } from '@tsukube/apiserver';
import { componentStatus } from './component-status.ts';
import { limitRange } from './limit-range.ts';
import { node } from './node.ts';
import { resourceQuota } from './resource-quota.ts';
import { endpoints } from './service/endpoints.ts';
import { service } from './service/service.ts';
import { defaultServiceRanges, type ServiceRanges } from './service/service-ranges.ts';
import { persistentVolume } from './volume/persistent-volume.ts';
import { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';

export const coreResources: readonly Resource[] = coreResourcesWith(defaultServiceRanges);

/** With the ranges that services get their addresses and ports from. */
export function coreResourcesWith(ranges: ServiceRanges): readonly Resource[] {
  return [service(ranges), endpoints, node, persistentVolume, persistentVolumeClaim, limitRange, resourceQuota, componentStatus];
}
