import { type FieldErrors, type FieldPath, isDNS1035Label, type JsonObject, textIn, textsIn } from '@tsukube/machinery';

export function validateNamesPresent(names: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'])
    if (textIn(names, field) === '') errors.required(at.child(field));
}

export function validateNames(names: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['plural', 'singular']) validateLabel(textIn(names, field), at.child(field), errors);
  for (const field of ['kind', 'listKind']) validateKind(textIn(names, field), at.child(field), errors);
  validateLabels(names, 'shortNames', at, errors);
  const kind = textIn(names, 'kind');
  if (kind !== '' && kind === textIn(names, 'listKind'))
    errors.invalid(at.child('listKind'), kind, 'kind and listKind may not be the same');
  validateLabels(names, 'categories', at, errors);
}

function validateLabels(names: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  for (const [i, value] of textsIn(names, field).entries()) {
    const problems = isDNS1035Label(value);
    if (problems.length > 0) errors.invalid(at.child(field).index(i), value, problems.join(','));
  }
}

function validateLabel(value: string, at: FieldPath, errors: FieldErrors): void {
  const problems = value === '' ? [] : isDNS1035Label(value);
  if (problems.length > 0) errors.invalid(at, value, problems.join(','));
}

function validateKind(value: string, at: FieldPath, errors: FieldErrors): void {
  const problems = value === '' ? [] : isDNS1035Label(value.toLowerCase());
  if (problems.length > 0) errors.invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`);
}
