import type { Resource } from '@tsukube/apiserver';
import { componentStatus } from './component-status.ts';
import { endpoints } from './endpoints.ts';
import { limitRange } from './limit-range.ts';
import { node } from './node.ts';
import { persistentVolume } from './persistent-volume.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';
import { resourceQuota } from './resource-quota.ts';
import { service } from './service.ts';
import { defaultServiceRanges, type ServiceRanges } from './service-ranges.ts';

export const coreResources: readonly Resource[] = coreResourcesWith(defaultServiceRanges);

/** With the ranges that services get their addresses and ports from. */
export function coreResourcesWith(ranges: ServiceRanges): readonly Resource[] {
  return [service(ranges), endpoints, node, persistentVolume, persistentVolumeClaim, limitRange, resourceQuota, componentStatus];
}
