import {
  addQuantities,
  compareQuantities,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  type Quantity,
} from '@tsukube/machinery';

type Amounts = Map<string, Quantity>;

/**
 * What the containers of a pod need together: all that run at the same time, and before them each init container with
 * the sidecars that were started earlier.
 */
export function aggregateResources(spec: JsonObject, list: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const total: Amounts = new Map();
  for (const container of objectsIn(spec, 'containers')) addAll(total, amountsOf(container, list));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of objectsIn(spec, 'initContainers')) {
    const own = amountsOf(container, list);
    if (container.restartPolicy === 'Always') {
      addAll(total, own);
      addAll(sidecars, own);
      keepLarger(peak, sidecars);
    } else {
      addAll(own, sidecars);
      keepLarger(peak, own);
    }
  }
  keepLarger(total, peak);
  return total;
}

function amountsOf(container: JsonObject, list: string): Amounts {
  const amounts = Object.entries(mapIn(objectIn(container, 'resources'), list));
  return new Map(amounts.map(([name, text]) => [name, parseQuantity(text)]));
}

function addAll(to: Amounts, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    to.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
}

function keepLarger(to: Amounts, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) to.set(name, amount);
  }
}
