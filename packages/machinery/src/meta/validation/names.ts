/**
 * What is wrong with a name, as a list of messages that is empty if nothing is. The messages are those of Kubernetes:
 * clients and tests compare them.
 */
import { longerThanBytes } from '../../text/strings.ts';

type Messages = readonly string[];
const fine: Messages = [];

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
  if (value.length <= 63 && label1123Pattern.test(value)) return fine;
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

/** For names that are only used as part of a path. */
export function isValidPathSegmentName(name: string): Messages {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return isValidPathSegmentPrefix(name);
}

export function isValidPathSegmentPrefix(name: string): Messages {
  return ['/', '%'].filter((character) => name.includes(character)).map((character) => `may not contain '${character}'`);
}

/** Checks names of a kind; `prefix` if more characters will follow, which lets a name end in a dash. */
export type NameValidator = (name: string, prefix: boolean) => Messages;

export const nameIsDNSSubdomain: NameValidator = (name, prefix) => isDNS1123Subdomain(prefix ? maskTrailingDash(name) : name);
export const nameIsDNSLabel: NameValidator = (name, prefix) => isDNS1123Label(prefix ? maskTrailingDash(name) : name);
export const nameIsDNS1035Label: NameValidator = (name, prefix) => isDNS1035Label(prefix ? maskTrailingDash(name) : name);
export const nameIsPathSegment: NameValidator = (name, prefix) =>
  prefix ? isValidPathSegmentPrefix(name) : isValidPathSegmentName(name);

/** One character shorter than the prefix: so it is in Kubernetes, and so a prefix of the greatest length is judged the same. */
function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;
}

export function maxLengthMessage(characters: number): string {
  return `must be no more than ${characters} characters`;
}

/** A message that ends with examples and the pattern. */
export function formatMessage(message: string, pattern: string, ...examples: readonly string[]): string {
  const tail = `regex used for validation is '${pattern}')`;
  if (examples.length === 0) return `${message} (${tail}`;
  return `${message} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}${tail}`;
}

export function withinPattern(value: string, maximum: number, pattern: RegExp, message: string): Messages {
  const matches = pattern.test(value);
  if (matches && value.length <= maximum) return fine;
  const messages = longerThanBytes(value, maximum) ? [maxLengthMessage(maximum)] : [];
  if (!matches) messages.push(message);
  return messages;
}
