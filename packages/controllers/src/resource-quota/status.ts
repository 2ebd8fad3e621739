import { parseResourceList, type ResourceList, resourceListObject } from '@tsukube/builtin';
import {
  addQuantities,
  compareQuantities,
  deepEqual,
  type JsonObject,
  mapIn,
  objectIn,
  type Quantity,
  subtractQuantities,
} from '@tsukube/machinery';

export interface ReconciledStatus {
  readonly status: JsonObject;
  /** Usage may be counted too high, because of writes in progress: count again later. */
  readonly isSettled: boolean;
}

/**
 * The status of a quota after a count. Admission charges a write before it is stored, so charges of writes in progress must not be
 * removed. `baseline` is the usage some time before the count: all writes charged by then have been stored or have failed. Without a
 * baseline usage is not lowered.
 */
export function reconciledStatus(quota: JsonObject, counted: ResourceList, baseline: ResourceList | undefined): ReconciledStatus {
  const hard = mapIn(objectIn(quota, 'spec'), 'hard');
  const current = parseResourceList(mapIn(objectIn(quota, 'status'), 'used'));
  const used = new Map<string, Quantity>();
  let isSettled = true;
  for (const name of Object.keys(hard)) {
    const [count, charged] = [counted.get(name), current.get(name)];
    const usage = count && charged ? reconciledUsage(count, charged, baseline?.get(name)) : (count ?? charged);
    if (usage) used.set(name, usage);
    if (usage && count && compareQuantities(usage, count) > 0) isSettled = false;
  }
  return { status: { hard: { ...hard }, used: resourceListObject(used) }, isSettled };
}

/** Between the counted and the charged usage: keeps charges of writes in progress since `baseline`. */
function reconciledUsage(count: Quantity, charged: Quantity, baseline: Quantity | undefined): Quantity {
  if (compareQuantities(count, charged) >= 0) return count;
  if (!baseline) return charged;
  const inProgress = subtractQuantities(charged, baseline);
  if (inProgress.mantissa <= 0n) return count;
  const highest = addQuantities(count, inProgress);
  return compareQuantities(highest, charged) < 0 ? highest : charged;
}

export function quotaUsage(quota: JsonObject): ResourceList {
  return parseResourceList(mapIn(objectIn(quota, 'status'), 'used'));
}

/** Whether the status has the limits of the spec, and a usage for each of them. */
export function isComplete(quota: JsonObject): boolean {
  const [hard, status] = [mapIn(objectIn(quota, 'spec'), 'hard'), objectIn(quota, 'status')];
  const used = mapIn(status, 'used');
  return deepEqual(hard, mapIn(status, 'hard')) && Object.keys(hard).every((name) => Object.hasOwn(used, name));
}
