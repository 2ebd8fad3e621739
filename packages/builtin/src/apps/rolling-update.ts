import type { FieldErrors, FieldPath, JsonObject, JsonValue } from '@tsukube/machinery';
import { notNegative } from '../common/non-negative.ts';

const percentPattern = /^[0-9]+%$/;
const percentMessage =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** A number of pods, or a share of them. */
export function validateIntOrPercent(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string') {
    if (!percentPattern.test(value)) errors.invalid(at, value, percentMessage);
  } else if (Number(value ?? 0) < 0) errors.invalid(at, value, notNegative);
}

export function validateAtMostAll(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && percentPattern.test(value) && amountOf(value) > 100)
    errors.invalid(at, value, 'must not be greater than 100%');
}

/** The number, be it one of pods or of percents; what is no number counts as zero. */
export function amountOf(value: JsonValue | undefined): number {
  if (typeof value !== 'string') return Number(value ?? 0);
  return percentPattern.test(value) ? Number(value.slice(0, -1)) : Number(/^[+-]?[0-9]+$/.exec(value)?.[0] ?? 0);
}

/** A strategy in a message has the names of Go's fields. */
export function shownStrategy({ type }: JsonObject, rollingUpdate: JsonValue): JsonObject {
  return { Type: type as string, RollingUpdate: rollingUpdate };
}
