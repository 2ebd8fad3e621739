/** Checks shared by the validation of many kinds. Functions named is… return error messages, none if the value is valid. */
import {
  type FieldErrors,
  type FieldPath,
  formatMessage,
  isDNS1123Label,
  type JsonObject,
  type JsonValue,
  maxLengthMessage,
  numberIn,
  type ShownValue,
  textIn,
} from '@tsukube/machinery';

type Messages = readonly string[];
const valid: Messages = [];

export const notNegative = 'must be greater than or equal to 0';
export const isNotPositive = 'must be greater than zero';

export function inclusiveRange(least: number, most: number): string {
  return `must be between ${least} and ${most}, inclusive`;
}

/** Adds each message as an error of the field. */
export function report(messages: Messages, at: FieldPath, value: ShownValue, errors: FieldErrors): void {
  for (const message of messages) errors.invalid(at, value, message);
}

export function requireText(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  if (textIn(owner, field) === '') errors.required(at.child(field));
}

/** Requires one of the supported values; the error lists them in the given order. */
export function requireOneOf(text: string, supported: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (text === '') errors.required(at);
  else if (!supported.includes(text)) errors.notSupported(at, text, supported);
}

/** Rejects values that are not supported; an absent value is valid. */
export function validateEnum(
  value: JsonValue | undefined,
  supported: readonly string[],
  at: FieldPath,
  errors: FieldErrors,
): void {
  if (value !== undefined && !(typeof value === 'string' && supported.includes(value))) errors.notSupported(at, value, supported);
}

export function requireNonNegative(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const value = numberIn(owner, field);
  if (value < 0) errors.invalid(at.child(field), value, notNegative);
}

export function validateDNSLabel(text: string, at: FieldPath, errors: FieldErrors): void {
  report(isDNS1123Label(text), at, text, errors);
}

export function isPortNumber(port: number): Messages {
  return port >= 1 && port <= 65_535 ? valid : [inclusiveRange(1, 65_535)];
}

/** An IANA service name (RFC 6335). */
export function isPortName(name: string): Messages {
  const messages: string[] = [];
  if (name.length > 15) messages.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(name)) messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) messages.push('must contain at least one letter (a-z)');
  if (name.includes('--')) messages.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages;
}

export function validatePort(port: unknown, at: FieldPath, errors: FieldErrors): void {
  if (typeof port === 'string') report(isPortName(port), at, port, errors);
  else report(isPortNumber(Number(port ?? 0)), at, Number(port ?? 0), errors);
}

export function isEnvironmentName(name: string): Messages {
  if (/^[\x20-\x3c\x3e-\x7e]*$/.test(name)) return valid;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

const configKey = '[-._a-zA-Z0-9]+';
const configKeyPattern = new RegExp(`^${configKey}$`);
const configKeyMessage = formatMessage(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  'key.name',
  'KEY_NAME',
  'key-name',
);

export function isConfigKey(key: string): Messages {
  const messages: string[] = [];
  if (key.length > 253) messages.push(maxLengthMessage(253));
  if (!configKeyPattern.test(key)) messages.push(configKeyMessage);
  if (key === '.' || key === '..') messages.push(`must not be '${key}'`);
  else if (key.startsWith('..')) messages.push("must not start with '..'");
  return messages;
}

const headerName = '[-A-Za-z0-9]+';
const headerPattern = new RegExp(`^${headerName}$`);

export function isHeaderName(name: string): Messages {
  if (headerPattern.test(name)) return valid;
  return [formatMessage("a valid HTTP header must consist of alphanumeric characters or '-'", headerName, 'X-Header-Name')];
}

const underscoreLabel = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const underscoreSubdomain = `${underscoreLabel}(\\.${underscoreLabel})*`;
const underscorePattern = new RegExp(`^${underscoreSubdomain}$`);

/** A DNS subdomain in which labels may have underscores, as in DNS search paths. */
export function isSubdomainWithUnderscore(name: string): Messages {
  const messages: string[] = [];
  if (name.length > 253) messages.push(maxLengthMessage(253));
  if (name.length > 1_024 || !underscorePattern.test(name)) {
    const message =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
    messages.push(formatMessage(message, underscoreSubdomain, 'example.com'));
  }
  return messages;
}

/** Rejects negative values in the given fields. */
export function validateNonNegative(owner: JsonObject, fields: readonly string[], at: FieldPath, errors: FieldErrors): void {
  for (const field of fields) {
    const value = owner[field];
    if ((typeof value === 'number' || typeof value === 'bigint') && value < 0)
      errors.invalid(at.child(field), value, notNegative);
  }
}

export function hasBacksteps(path: string): boolean {
  return path.split('/').includes('..');
}

export function validateNoBacksteps(path: string, at: FieldPath, errors: FieldErrors): void {
  if (hasBacksteps(path)) errors.invalid(at, path, "must not contain '..'");
}

/** A relative path without `..`. */
export function validateDescendingPath(path: string, at: FieldPath, errors: FieldErrors): void {
  if (path.startsWith('/')) errors.invalid(at, path, 'must be a relative path');
  validateNoBacksteps(path, at, errors);
}

/** A relative path that does not start with `..`: the kubelet uses such names for atomic updates of volumes. */
export function validateNonReservedPath(path: string, at: FieldPath, errors: FieldErrors): void {
  validateDescendingPath(path, at, errors);
  if (path.startsWith('..') && !path.startsWith('../')) errors.invalid(at, path, "must not start with '..'");
}

export function validateFileMode(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const mode = numberIn(owner, field);
  if (mode > 0o777 || mode < 0)
    errors.invalid(at.child(field), mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}
