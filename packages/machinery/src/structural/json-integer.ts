const epsilon = 1e-9;

/** Whether a floating-point number passes for an integer: Kubernetes forgives a small error beyond one. */
export function isJsonInteger(value: number): boolean {
  if (Number.isInteger(value)) return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (value < 1 || value > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  return (value - whole) / (value + whole) < epsilon;
}

/** Go reads a number without fraction and exponent as an int64 if it fits, and everything else as a float64. */
export function isInt64(value: number | bigint): boolean {
  return typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) < 2 ** 63);
}
