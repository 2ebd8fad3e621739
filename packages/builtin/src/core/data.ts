import type { FieldErrors, FieldPath } from '@tsukube/machinery';

/** The most that the values of a ConfigMap or a Secret may take together. */
const maxTotalBytes = 1024 * 1024;
const maxKeyLength = 253;
const keyPattern = /^[-._a-zA-Z0-9]+$/;
const keyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

export function validateDataKeys(data: Record<string, string>, at: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(data)) {
    for (const message of keyProblems(key)) errors.invalid(at.key(key), key, message);
  }
}

function keyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > maxKeyLength) problems.push(`must be no more than ${maxKeyLength} characters`);
  if (!keyPattern.test(key)) problems.push(keyMessage);
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** Plain values count as UTF-8, encoded ones as what they stand for. */
export function withinSize(plain: readonly string[], base64: readonly string[], at: FieldPath, errors: FieldErrors): void {
  let total = 0;
  for (const value of plain) total += Buffer.byteLength(value);
  for (const value of base64) total += Buffer.byteLength(value, 'base64');
  if (total > maxTotalBytes) errors.tooLong(at, maxTotalBytes);
}
