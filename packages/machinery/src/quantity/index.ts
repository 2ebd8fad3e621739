export { addQuantities, compareQuantities, quantityValue, subtractQuantities, zeroQuantity } from './arithmetic.ts';
export { canonicalQuantity, formatQuantity } from './format.ts';
export type { Quantity, QuantityFormat } from './quantity.ts';
export { parseQuantity, QuantityError } from './quantity.ts';
