import type { FieldErrors } from '../../errors/field-errors.ts';
import type { FieldPath } from '../../errors/field-path.ts';
import { textIn } from '../../json/fields.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { internedRecord } from '../../managed-fields/managed-fields.ts';
import { longerThanBytes } from '../../text/strings.ts';

const managerLimit = 128;
const subresourceLimit = 256;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Interned managedFields that were validated: the same arrays recur in most writes. */
const valid = new WeakSet<readonly JsonValue[]>();

export function validateManagedFields(entries: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  if (valid.has(entries)) return;
  const before = errors.length;
  entries.forEach((entry, position) => {
    if (isObject(entry)) validateEntry(entry, path.index(position), errors);
  });
  if (errors.length === before && internedRecord(entries as JsonValue[])) valid.add(entries);
}

/** Validates the `fieldManager` parameter and the `manager` of an entry. */
export function validateFieldManager(manager: string, path: FieldPath, errors: FieldErrors): void {
  if (longerThanBytes(manager, managerLimit)) errors.tooLong(path, managerLimit);
  let position = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      errors.invalid(path, manager, `invalid character ${codePointText(character)} (at position ${position})`);
    }
    position += Buffer.byteLength(character);
  }
}

function validateEntry(entry: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const operation = textIn(entry, 'operation');
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.invalid(path.child('operation'), operation, 'must be `Apply` or `Update`');
  }
  const fieldsType = textIn(entry, 'fieldsType');
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') errors.invalid(path.child('fieldsType'), fieldsType, 'must be `FieldsV1`');
  validateFieldManager(textIn(entry, 'manager'), path.child('manager'), errors);
  if (longerThanBytes(textIn(entry, 'subresource'), subresourceLimit))
    errors.tooLong(path.child('subresource'), subresourceLimit);
}

/** The notation of Go's %#U for characters that are not printable. */
function codePointText(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
