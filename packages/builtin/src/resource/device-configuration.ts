import {
  type FieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type JsonValue,
  objectIn,
  objectsIn,
  stringifyJson,
  textIn,
} from '@tsukube/machinery';
import { validateDriverName } from '../core/volume/volume-sources.ts';
import { validateList } from './bounded-list.ts';

const maxSelectors = 32;
const maxExpression = 10 * 1024;
const maxParameters = 10 * 1024;

export function validateSelectors(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateList(objectsIn(owner, 'selectors'), maxSelectors, at, errors, (selector, itemAt) => {
    const cel = objectIn(selector, 'cel');
    if (!cel) errors.required(itemAt.child('cel'));
    else if (Buffer.byteLength(textIn(cel, 'expression')) > maxExpression)
      errors.tooLong(itemAt.child('cel', 'expression'), maxExpression);
    else if (textIn(cel, 'expression') === '') errors.required(itemAt.child('cel', 'expression'));
  });
}

/** Parameters for a driver, which nobody else understands. */
export function validateDeviceConfiguration(config: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const opaque = objectIn(config, 'opaque');
  if (!opaque) {
    errors.required(at.child('opaque'));
    return;
  }
  validateDriverName(textIn(opaque, 'driver'), at.child('opaque', 'driver'), errors);
  validateOpaque(opaque.parameters, maxParameters, at.child('opaque', 'parameters'), errors);
}

export function validateOpaque(value: JsonValue | undefined, most: number, at: FieldPath, errors: FieldErrors): void {
  if (value === undefined || value === null) errors.required(at);
  else if (Buffer.byteLength(stringifyJson(value)) > most) errors.tooLong(at, most);
  else if (!isObject(value)) errors.invalid(at, '<value omitted>', 'must be a valid JSON object');
}
