export { canonicalQuantity, formatQuantity } from './format.ts';
export {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  QuantityError,
  type QuantityFormat,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from './quantity.ts';
