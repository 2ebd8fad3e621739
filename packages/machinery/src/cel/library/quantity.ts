import { formatQuantity } from '../../quantity/format.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  QuantityError,
  quantityValue,
  subtractQuantities,
} from '../../quantity/quantity.ts';
import { boolType, type CelType, doubleType, intType, stringType } from '../types/type.ts';
import { CelDouble, CelError, CelOpaque, type CelValue, checkedInt, type Int, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload, type Overload } from './declarations.ts';

/** An object type without fields. */
const quantityType: CelType = { kind: 'object', name: 'kubernetes.Quantity', params: [] };

class QuantityValue extends CelOpaque {
  readonly type = quantityType;
  readonly quantity: Quantity;
  /** Result of an addition or subtraction: Kubernetes does not accept one as the right side of a comparison. */
  readonly #computed: boolean;
  constructor(quantity: Quantity, computed: boolean) {
    super();
    this.quantity = quantity;
    this.#computed = computed;
  }
  equals(other: CelValue): CelValue {
    if (!(other instanceof QuantityValue) || other.#computed) return noSuchOverload;
    return compareQuantities(this.quantity, other.quantity) === 0;
  }
  override text(): string {
    return formatQuantity(this.quantity);
  }
}

function readQuantity(text: string): CelValue {
  try {
    return new QuantityValue(parseQuantity(text), false);
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const notInteger = new CelError('cannot convert value to integer');

/** The amount, if it is an int64. */
function integerOf(quantity: Quantity): CelValue {
  if (quantity.exponent > 20) return quantity.mantissa === 0n ? 0 : notInteger;
  const whole = quantityValue(quantity);
  const exact = compareQuantities(quantity, { mantissa: whole, exponent: 0, format: 'DecimalSI' }) === 0;
  const value = exact ? checkedInt(whole) : notInteger;
  return value instanceof CelError ? notInteger : value;
}

function asDouble({ mantissa, exponent }: Quantity): number {
  return exponent === 0 ? Number(mantissa) : Number(mantissa) * 10 ** exponent;
}

function sign(order: number): number {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

function ofInteger(value: Int): Quantity {
  return { mantissa: BigInt(value), exponent: 0, format: 'DecimalExponent' };
}

function compared(id: string, result: CelType, call: (order: number) => CelValue): Overload {
  return memberOverload(id, [quantityType, quantityType], result, (a: QuantityValue, b: QuantityValue) =>
    call(sign(compareQuantities(a.quantity, b.quantity))),
  );
}

function computed(name: string, compute: (a: Quantity, b: Quantity) => Quantity): readonly Overload[] {
  return [
    memberOverload(
      `quantity_${name}`,
      [quantityType, quantityType],
      quantityType,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(compute(a.quantity, b.quantity), true),
    ),
    memberOverload(
      `quantity_${name}_int`,
      [quantityType, intType],
      quantityType,
      (a: QuantityValue, b: Int) => new QuantityValue(compute(a.quantity, ofInteger(b)), true),
    ),
  ];
}

/** The result has no cached text of an operand. */
function rewritten(compute: (a: Quantity, b: Quantity) => Quantity): (a: Quantity, b: Quantity) => Quantity {
  return (a, b) => ({ ...compute(a, b), text: undefined });
}

const isWhole = (value: CelValue): boolean => !(value instanceof CelError);

export const quantityLibrary: CelLibrary = {
  functions: [
    declare('quantity', globalOverload('string_to_quantity', [stringType], quantityType, readQuantity)),
    declare(
      'isQuantity',
      globalOverload('is_quantity_string', [stringType], boolType, (text: string) => isWhole(readQuantity(text))),
    ),
    declare(
      'sign',
      globalOverload('quantity_sign', [quantityType], intType, (a: QuantityValue) =>
        sign(Number(a.quantity.mantissa > 0n) - Number(a.quantity.mantissa < 0n)),
      ),
    ),
    declare(
      'isGreaterThan',
      compared('quantity_is_greater_than', boolType, (order) => order === 1),
    ),
    declare(
      'isLessThan',
      compared('quantity_is_less_than', boolType, (order) => order === -1),
    ),
    declare(
      'compareTo',
      compared('quantity_compare_to', intType, (order) => order),
    ),
    declare(
      'asApproximateFloat',
      memberOverload('quantity_get_float', [quantityType], doubleType, (a: QuantityValue) => new CelDouble(asDouble(a.quantity))),
    ),
    declare(
      'asInteger',
      memberOverload('quantity_get_int', [quantityType], intType, (a: QuantityValue) => integerOf(a.quantity)),
    ),
    declare(
      'isInteger',
      memberOverload('quantity_is_integer', [quantityType], boolType, (a: QuantityValue) => isWhole(integerOf(a.quantity))),
    ),
    declare('add', ...computed('add', rewritten(addQuantities))),
    declare('sub', ...computed('sub', rewritten(subtractQuantities))),
  ],
};
