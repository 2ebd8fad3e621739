import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { textIn } from '../json/fields.ts';
import { isObject } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { parseApiVersion } from './group.ts';

/** Each of these complaints shows all references, so many of them would be very long. */
const maxControllerComplaints = 10;

export function validateOwnerReferences(references: readonly JsonValue[], path: FieldPath, errors: FieldErrors): void {
  let controller: string | undefined;
  let complaints = 0;
  for (const reference of references) {
    if (!isObject(reference)) continue;
    validateOwnerReference(reference, path, errors);
    if (reference.controller !== true) continue;
    const name = `${textIn(reference, 'kind')}/${textIn(reference, 'name')}`;
    if (controller === undefined) controller = name;
    else if (complaints++ < maxControllerComplaints) errors.invalid(path, [...references], onlyOneController(controller, name));
  }
}

function validateOwnerReference(reference: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const apiVersion = textIn(reference, 'apiVersion');
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  if (version === '') errors.invalid(path.child('apiVersion'), apiVersion, 'version must not be empty');
  for (const member of ['kind', 'name', 'uid']) {
    if (textIn(reference, member) === '') errors.invalid(path.child(member), '', 'must not be empty');
  }
  if (group === '' && version === 'v1' && reference.kind === 'Event') {
    errors.invalid(path, reference, '/v1, Kind=Event is disallowed from being an owner');
  }
}

function onlyOneController(first: string, second: string): string {
  return `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
}
