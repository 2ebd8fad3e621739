/** A floating-point number as Go's %v and %g print it: with an exponent from 1e+06 on, which has at least two digits. */
export function goFloatText(value: number): string {
  if (value === 0) return '0';
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  // Beyond 1e-6 JavaScript would use an exponent itself, so everything in between is written out by it.
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
