import type { FieldErrors, FieldPath, JsonObject, JsonValue } from '@tsukube/machinery';

const maxValue = 64;
const number = '(0|[1-9]\\d*)';
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const build = '[0-9a-zA-Z-]+';
const semanticVersion = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);

/** The forms a value may have, one of them at a time; in the order in which Kubernetes shows them. */
const forms = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'];
const shownForms = ['Int', 'Bool', 'String', 'Version'];

export function validateAttribute(attribute: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateText(attribute.string, at.child('string'), errors);
  validateVersion(attribute.version, at.child('version'), errors);
  for (const field of ['strings', 'versions'] as const) {
    const values = attribute[field];
    if (!Array.isArray(values)) continue;
    const validate = field === 'strings' ? validateText : validateVersion;
    for (const [i, value] of values.entries()) validate(value, at.child(field).index(i), errors);
  }
  const set = forms.filter((form) => attribute[form] !== undefined);
  if (set.length !== 1) errors.invalid(at, set.length === 0 ? '' : shown(attribute), 'exactly one value must be specified');
}

function validateText(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && Buffer.byteLength(value) > maxValue) errors.tooLong(at, maxValue);
}

function validateVersion(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'string') return;
  // A text that is far too long is not worth matching.
  if (value.length > maxValue || !semanticVersion.test(value))
    errors.invalid(at, value, 'must be a string compatible with semver.org spec 2.0.0');
  validateText(value, at, errors);
}

/** As Kubernetes shows it, which is not as it is written. */
function shown(attribute: JsonObject): JsonObject {
  const value: JsonObject = {};
  for (const form of shownForms) value[`${form}Value`] = attribute[form.toLowerCase()] ?? null;
  for (const form of shownForms) value[`${form}Values`] = attribute[`${form.toLowerCase()}s`] ?? null;
  return value;
}
