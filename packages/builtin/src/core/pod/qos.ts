import {
  addQuantities,
  compareQuantities,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  type Quantity,
  zeroQuantity,
} from '@tsukube/machinery';

const counted = ['cpu', 'memory'];

type Amounts = Map<string, Quantity>;

/** The QoS class: BestEffort, Burstable or Guaranteed. */
export function qosClassOf(spec: JsonObject): string {
  const requests: Amounts = new Map();
  const limits: Amounts = new Map();
  const guaranteed = addRequirements(spec, requests, limits);
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  return guaranteed && haveSame(requests, limits) ? 'Guaranteed' : 'Burstable';
}

/** True if every container has limits for CPU and memory. */
function addRequirements(spec: JsonObject, requests: Amounts, limits: Amounts): boolean {
  const ofPod = objectIn(spec, 'resources');
  if (ofPod) {
    addAmounts(requests, mapIn(ofPod, 'requests'));
    return addAmounts(limits, mapIn(ofPod, 'limits')) === counted.length || Object.keys(mapIn(ofPod, 'limits')).length === 0;
  }
  let guaranteed = true;
  for (const container of [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')]) {
    const resources = objectIn(container, 'resources');
    addAmounts(requests, mapIn(resources, 'requests'));
    if (addAmounts(limits, mapIn(resources, 'limits')) < counted.length) guaranteed = false;
  }
  return guaranteed;
}

/** Returns the number of non-zero resources. */
function addAmounts(to: Amounts, list: Readonly<Record<string, string>>): number {
  let found = 0;
  for (const name of counted) {
    const text = list[name];
    if (text === undefined) continue;
    const amount = parseQuantity(text);
    if (compareQuantities(amount, zeroQuantity) <= 0) continue;
    to.set(name, addQuantities(amount, to.get(name) ?? zeroQuantity));
    found++;
  }
  return found;
}

function haveSame(requests: Amounts, limits: Amounts): boolean {
  if (requests.size !== limits.size) return false;
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    if (limit === undefined || compareQuantities(limit, request) !== 0) return false;
  }
  return true;
}
