/**
 * Validation of names. Functions return a list of messages, empty if the name is valid. Clients match on the messages, so
 * they are Kubernetes' own.
 */
import { longerThanBytes } from '../../text/strings.ts';

type Messages = readonly string[];
const valid: Messages = [];

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const label1123Pattern = new RegExp(`^${label1123}$`);
const label1123Message = formatMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label1123,
  'my-name',
  '123-abc',
);

const subdomain1123 = `${label1123}(\\.${label1123})*`;
const subdomain1123Pattern = new RegExp(`^${subdomain1123}$`);
const subdomain1123Message = formatMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain1123,
  'example.com',
);

const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const label1035Pattern = new RegExp(`^${label1035}$`);
const label1035Message = formatMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  label1035,
  'my-name',
  'abc-123',
);

const wildcard1123 = `\\*\\.${subdomain1123}`;
const wildcard1123Pattern = new RegExp(`^${wildcard1123}$`);
const wildcard1123Message = formatMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  wildcard1123,
  '*.example.com',
);

export function isDNS1123Label(value: string): Messages {
  if (value.length <= 63 && label1123Pattern.test(value)) return valid;
  const messages = longerThanBytes(value, 63) ? [maxLengthMessage(63)] : [];
  if (!label1123Pattern.test(value)) {
    messages.push(subdomain1123Pattern.test(value) ? 'must not contain dots' : label1123Message);
  }
  return messages;
}

export function isDNS1123Subdomain(value: string): Messages {
  return withinPattern(value, 253, subdomain1123Pattern, subdomain1123Message);
}

export function isWildcardDNS1123Subdomain(value: string): Messages {
  return withinPattern(value, 253, wildcard1123Pattern, wildcard1123Message);
}

export function isDNS1035Label(value: string): Messages {
  return withinPattern(value, 63, label1035Pattern, label1035Message);
}

/** Validates names that must only be usable as a path segment. */
export function isValidPathSegmentName(name: string): Messages {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return isValidPathSegmentPrefix(name);
}

export function isValidPathSegmentPrefix(name: string): Messages {
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
}

/** Validates names of a kind. With `prefix` (generateName) a trailing dash is allowed. */
export type NameValidator = (name: string, prefix: boolean) => Messages;

export const nameIsDNSSubdomain: NameValidator = (name, prefix) => isDNS1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const nameIsDNSLabel: NameValidator = (name, prefix) => isDNS1123Label(prefix ? maskTrailingDash(name) : name);
export const nameIsDNS1035Label: NameValidator = (name, prefix) => isDNS1035Label(prefix ? maskTrailingDash(name) : name);
export const nameIsPathSegment: NameValidator = (name, prefix) =>
  prefix ? isValidPathSegmentPrefix(name) : isValidPathSegmentName(name);

/** Replaces a trailing dash and the character before it by `a`, one character shorter, exactly like Kubernetes. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

export function maxLengthMessage(characters: number): string {
  return `must be no more than ${characters} characters`;
}

/** A message that ends with examples and the regular expression. */
export function formatMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  const tail = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${tail}`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${tail}`;
}

function withinPattern(value: string, maximum: number, pattern: RegExp, message: string): Messages {
  const matches = pattern.test(value);
  if (matches && value.length <= maximum) return valid;
  const messages = longerThanBytes(value, maximum) ? [maxLengthMessage(maximum)] : [];
  if (!matches) messages.push(message);
  return messages;
}
