import { type FieldErrors, type FieldPath, formatMessage, isDNS1123Label, isDNS1123Subdomain } from '@tsukube/machinery';
import { validateDriverName } from '../core/volume/volume-sources.ts';

const maxPoolName = 253;
const maxIdentifier = 32;
const identifier = '[A-Za-z_][A-Za-z0-9_]*';
const identifierPattern = new RegExp(`^${identifier}$`);
const identifierMessage = formatMessage(
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
  identifier,
  'my_name',
  'MY_NAME',
  'MyName',
);

export function validateLabelText(name: string, at: FieldPath, errors: FieldErrors): void {
  for (const problem of isDNS1123Label(name)) errors.invalid(at, name, problem);
}

/** A pool name is one or more DNS subdomains separated by slashes. */
export function validatePoolName(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(at);
    return;
  }
  if (Buffer.byteLength(name) > maxPoolName) errors.tooLong(at, maxPoolName);
  for (const part of name.split('/')) for (const problem of isDNS1123Subdomain(part)) errors.invalid(at, part, problem);
}

/** The name of an attribute or capacity: NAME or DOMAIN/NAME. */
export function validateAttributeName(name: string, at: FieldPath, errors: FieldErrors): void {
  const [first = '', second, ...more] = name.split('/');
  if (more.length > 0) return;
  if (second === undefined) {
    validateIdentifier(first, at, errors);
    return;
  }
  if (first === '') errors.invalid(at, '', 'the domain must not be empty');
  else validateDriverName(first, at, errors);
  if (second === '') errors.invalid(at, '', 'the name must not be empty');
  else validateIdentifier(second, at, errors);
}

export function validateFullAttributeName(name: string, at: FieldPath, errors: FieldErrors): void {
  validateAttributeName(name, at, errors);
  if (!name.includes('/')) errors.invalid(at, name, 'a fully qualified name must be a domain and a name separated by a slash');
}

function validateIdentifier(name: string, at: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(name) > maxIdentifier) errors.tooLong(at, maxIdentifier);
  if (!identifierPattern.test(name)) errors.invalid(at, name, identifierMessage);
}

type ValidateItem<Item> = (item: Item, at: FieldPath, errors: FieldErrors) => void;

/** Validates the items of a list; those of an overlong list are not validated. */
export function validateList<Item>(
  items: readonly Item[],
  most: number,
  at: FieldPath,
  errors: FieldErrors,
  validate: ValidateItem<Item>,
): void {
  if (items.length > most) errors.tooMany(at, items.length, most);
  else for (const [i, item] of items.entries()) validate(item, at.index(i), errors);
}

/** Like validateList, with unique keys. */
export function validateSet<Item>(
  items: readonly Item[],
  most: number,
  keyOf: (item: Item) => string,
  at: FieldPath,
  errors: FieldErrors,
  validate: ValidateItem<Item>,
): void {
  validateList(items, most, at, errors, validate);
  if (items.length > most) return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.duplicate(at.index(i), key);
    seen.add(key);
  }
}
