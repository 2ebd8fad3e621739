import { formatGoDuration, formatQuantity } from '@tsukube/sdk';

/** Billionths of a core as a quantity: `250000000` is `250m`. */
export function cpuQuantity(nanoCores: number): string {
  return formatQuantity({ mantissa: BigInt(Math.floor(nanoCores)), exponent: -9, format: 'DecimalSI' });
}

/** Bytes as a quantity in powers of 1024. */
export function memoryQuantity(bytes: number): string {
  return formatQuantity({ mantissa: BigInt(Math.floor(bytes)), exponent: 0, format: 'BinarySI' });
}

/** A metav1.Duration: `15.012s`. */
export function durationText(ms: number): string {
  return formatGoDuration(BigInt(Math.round(ms * 1e6)));
}

/** A metav1.Time: whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
