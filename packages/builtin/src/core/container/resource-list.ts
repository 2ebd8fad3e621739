import { formatQuantity, type JsonObject, parseQuantity, quantityValue } from '@tsukube/machinery';

const milli = -3;

/** Amounts of resources are kept in thousandths; what is finer is rounded up. */
export function roundResources(list: JsonObject | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(list[name] as string);
    if (quantity.exponent >= milli) continue;
    list[name] = formatQuantity({ mantissa: quantityValue(quantity, milli), exponent: milli, format: quantity.format });
  }
}

/** Both lists of a requirement. */
export function roundRequirements(resources: JsonObject | undefined): void {
  roundResources(resources?.limits as JsonObject | undefined);
  roundResources(resources?.requests as JsonObject | undefined);
}
