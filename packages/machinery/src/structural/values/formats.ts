import { parseAddress, parseCidr } from '../../net/address.ts';
import { GoDurationError, parseGoDuration } from '../../text/go-duration.ts';
import { isEmailAddress } from './email-address.ts';

/** The string formats that Kubernetes knows, by name without hyphens. */
const stringFormats = new Map<string, (text: string) => boolean>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', isEmailAddress],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && parseAddress(text) !== undefined],
  ['ipv6', (text) => text.includes(':') && parseAddress(text)?.leadingZeros === false],
  ['cidr', (text) => parseCidr(text) !== undefined],
  ['mac', isMac],
  ['uuid', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid3', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid4', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['uuid5', (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['rgbcolor', isRgbColor],
  ['byte', (text) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)],
  ['k8slongname', isLongName],
]);

const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The format, or '' if it does not apply to the type ('' for several types) and is ignored. */
export function effectiveFormat(format: string, type: string): string {
  if (format === '') return '';
  if (type === '' || type === 'string') return stringFormats.has(format.replaceAll('-', '')) ? format : '';
  return numberFormats[type]?.includes(format) === true ? format : '';
}

/** The check of a string format; undefined if it is unknown. */
export function stringFormat(format: string): ((text: string) => boolean) | undefined {
  return stringFormats.get(format.replaceAll('-', ''));
}

// regex: bounded; a hostname has at most 255 characters.
const hostname =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;

function isHostname(text: string): boolean {
  if (text.length > 255 || Buffer.byteLength(text) > 255 || !hostname.test(text)) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63);
}

function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(label));
}

/** The longest form: 20 bytes, each with a separator. */
const maxMacLength = 59;

function isMac(text: string): boolean {
  if (text.length > maxMacLength) return false;
  if (/^[0-9a-fA-F]+$/.test(text)) return text.length === 12 || text.length === 16 || text.length === 40;
  // regex: bounded by maxMacLength.
  const bytes = /^(?:[0-9a-fA-F]{2}([:-]))(?:[0-9a-fA-F]{2}\1)*[0-9a-fA-F]{2}$/.test(text) ? (text.length + 1) / 3 : 0;
  if (bytes === 6 || bytes === 8 || bytes === 20) return true;
  const pairs = /^(?:[0-9a-fA-F]{4}\.)+[0-9a-fA-F]{4}$/.test(text) ? (text.length + 1) / 5 : 0;
  return pairs === 3 || pairs === 4 || pairs === 10;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (i + 1) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^[0-9]{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 12; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return Number(digits[12]) === (10 - (sum % 10)) % 10;
}

const cardNumber =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!cardNumber.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

const shade = '(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])';
const spaces = '[\\t\\n\\f\\r ]*';
const rgbColor = new RegExp(`^rgb\\(${spaces}${shade}${spaces},${spaces}${shade}${spaces},${spaces}${shade}${spaces}\\)$`);

function isRgbColor(text: string): boolean {
  return text.length < 1000 && rgbColor.test(text);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  if (text.length > 1000) return false;
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] =
    /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time) ?? [];
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

/** Besides Go's durations, those of Scala: `5 minutes`. */
const durationUnits: readonly (readonly string[])[] = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

/** Almost all durations; short enough for 64 bits. */
const plainDuration = /^(?:\d{1,5}(?:\.\d{1,3})?(?:ns|us|ms|s|m|h)){1,6}$/;

// regex: linear; the look-behind allows one start per run of digits.
const wordyDuration = /(?<!\d)(\d+)\s*([A-Za-z\u00b5]+)/g;

function isDuration(text: string): boolean {
  if (plainDuration.test(text)) return true;
  try {
    parseGoDuration(text);
    return true;
  } catch (error) {
    if (!(error instanceof GoDurationError)) throw error;
  }
  let found = false;
  for (const [, factor = '', unit = ''] of text.matchAll(wordyDuration)) {
    if (factor.length > 18) return false;
    found ||= isDurationUnit(unit.toLowerCase());
  }
  return found;
}

function isDurationUnit(unit: string): boolean {
  return durationUnits.some((variants) => variants.includes(unit) || unit.startsWith(variants.at(-1) ?? unit));
}

/** Whether Go's url.ParseRequestURI accepts a string: an absolute URI or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === '' || hasControlCharacter(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const rest = (scheme === '' ? text : text.slice(scheme.length + 1)).split('?', 1)[0] ?? '';
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || isEscaped(rest.slice(slash)));
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Every percent sign is followed by two hexadecimal digits. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user) && isHost(authority.slice(at + 1));
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    return end > 0 && isPort(host.slice(end + 1)) && isHostText(withoutZone(host.slice(0, end)));
  }
  const colon = host.lastIndexOf(':');
  return (colon < 0 || isPort(host.slice(colon))) && isHostText(host);
}

/** An IPv6 address without its zone, which starts with %25. */
function withoutZone(address: string): string {
  const zone = address.indexOf('%25');
  return `${zone < 0 ? address : address.slice(0, zone)}]`;
}

function isPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text);
}

/** Only non-ASCII characters and the percent sign may be percent-encoded. */
function isHostText(host: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all non-ASCII characters are allowed.
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[^\x00-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/.test(host);
}
