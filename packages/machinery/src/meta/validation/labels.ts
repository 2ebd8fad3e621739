import type { FieldErrors } from '../../errors/field-errors.ts';
import type { FieldPath } from '../../errors/field-path.ts';
import type { JsonObject } from '../../json/value.ts';
import { longerThanBytes } from '../../text/strings.ts';
import { formatMessage } from './names.ts';

type Messages = readonly string[];
const valid: Messages = [];

const name = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const namePattern = new RegExp(`^${name}$`);
const nameMessage = formatMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  name,
  'MyName',
  'my.name',
  '123-abc',
);
const value = `(${name})?`;
const valuePattern = new RegExp(`^${value}$`);
const valueMessage = formatMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  value,
  'MyValue',
  'my_value',
  '12345',
);
const prefix = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const prefixPattern = new RegExp(`^${prefix}$`);
const prefixMessage = formatMessage(
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  prefix,
  'example.com',
);

/** Validates a qualified name (label key, finalizer, condition type): a name with an optional DNS prefix and slash. */
export function isQualifiedName(key: string): Messages {
  const slash = key.indexOf('/');
  if (slash < 0) return key.length <= 63 && namePattern.test(key) ? valid : namePartMessages(key);
  if (key.includes('/', slash + 1)) {
    return [`a valid label key ${nameMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  return [...prefixPartMessages(key.slice(0, slash)), ...namePartMessages(key.slice(slash + 1))];
}

export function isValidLabelValue(text: string): Messages {
  const matches = valuePattern.test(text);
  if (matches && text.length <= 63) return valid;
  const messages = longerThanBytes(text, 63) ? ['must be no more than 63 bytes'] : [];
  if (!matches) messages.push(valueMessage);
  return messages;
}

export function validateLabelName(key: string, path: FieldPath, errors: FieldErrors): void {
  for (const message of isQualifiedName(key)) errors.invalid(path, key, message);
}

export function validateLabels(labels: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(labels)) {
    validateLabelName(key, path, errors);
    const text = String(labels[key]);
    for (const message of isValidLabelValue(text)) errors.invalid(path, text, message);
  }
}

function namePartMessages(part: string): Messages {
  const messages: string[] = [];
  if (part === '') messages.push('name part must be non-empty');
  else if (longerThanBytes(part, 63)) messages.push('name part must be no more than 63 bytes');
  if (!namePattern.test(part)) messages.push(`name part ${nameMessage}`);
  return messages;
}

function prefixPartMessages(part: string): Messages {
  if (part === '') return ['prefix part must be non-empty'];
  const messages = longerThanBytes(part, 253) ? ['prefix part must be no more than 253 bytes'] : [];
  if (!prefixPattern.test(part)) messages.push(prefixMessage);
  return messages;
}

/** Limit of the bytes of all keys and values. */
const totalSizeLimit = 256 * 1024;

export function validateAnnotations(annotations: JsonObject, path: FieldPath, errors: FieldErrors): void {
  let size = 0;
  for (const key of Object.keys(annotations)) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.invalid(path, key, message);
    size += Buffer.byteLength(key) + Buffer.byteLength(String(annotations[key]));
  }
  if (size > totalSizeLimit) errors.tooLong(path, totalSizeLimit);
}
