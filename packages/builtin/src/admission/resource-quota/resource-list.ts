import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  type JsonObject,
  parseQuantity,
  type Quantity,
  setKey,
  subtractQuantities,
  zeroQuantity,
} from '@tsukube/machinery';

/** Amounts by resource name. */
export type ResourceList = ReadonlyMap<string, Quantity>;

export const oneQuantity: Quantity = parseQuantity('1');

export function quantityOf(count: number): Quantity {
  return count === 1 ? oneQuantity : { mantissa: BigInt(count), exponent: 0, format: 'DecimalSI' };
}

/** Quantities of validated objects. */
export function parseResourceList(list: Readonly<Record<string, string>>): Map<string, Quantity> {
  return new Map(Object.entries(list).map(([name, amount]) => [name, parseQuantity(String(amount))]));
}

/** In key order, as Go encodes maps. */
export function resourceListObject(list: ResourceList): JsonObject {
  const object: JsonObject = {};
  for (const name of [...list.keys()].sort()) setKey(object, name, formatQuantity(list.get(name) as Quantity));
  return object;
}

export function isPositive(amount: Quantity): boolean {
  return amount.mantissa > 0n;
}

/** Adds amounts to a list. */
export function addTo(list: Map<string, Quantity>, added: ResourceList): void {
  for (const [name, amount] of added) {
    const known = list.get(name);
    list.set(name, known ? addQuantities(known, amount) : amount);
  }
}

/** Raises amounts of a list to those of another. */
export function raiseTo(list: Map<string, Quantity>, other: ResourceList): void {
  for (const [name, amount] of other) {
    const known = list.get(name);
    if (!known || compareQuantities(amount, known) > 0) list.set(name, amount);
  }
}

/** The positive differences a - b. */
export function increases(a: ResourceList, b: ResourceList): ResourceList {
  const result = new Map<string, Quantity>();
  for (const [name, amount] of a) {
    const difference = subtractQuantities(amount, b.get(name) ?? zeroQuantity);
    if (isPositive(difference)) result.set(name, difference);
  }
  return result;
}

/** The entries that `keep` selects. */
export function masked(list: ResourceList, keep: (name: string, amount: Quantity) => boolean): ResourceList {
  return new Map([...list].filter(([name, amount]) => keep(name, amount)));
}

export function equalLists(a: ResourceList, b: ResourceList): boolean {
  if (a.size !== b.size) return false;
  for (const [name, amount] of a) {
    const other = b.get(name);
    if (!other || compareQuantities(amount, other) !== 0) return false;
  }
  return true;
}

/** `name=amount` pairs, sorted by name. */
export function describeList(list: ResourceList): string {
  return describeNames([...list].map(([name, amount]) => `${name}=${formatQuantity(amount)}`));
}

export function describeNames(names: Iterable<string>): string {
  return [...names].sort().join(',');
}
