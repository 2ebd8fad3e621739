import { type FieldErrors, type FieldPath, isValidPathSegmentName, type JsonObject, textIn } from '@tsukube/machinery';

export interface ReferenceRules {
  readonly emptyGroup?: boolean;
  /** For objects that were stored before the version was checked. */
  readonly anyApiVersion?: boolean;
}

/** Checks a reference by kind, name and version. */
export function validateObjectReference(reference: JsonObject, at: FieldPath, rules: ReferenceRules, errors: FieldErrors): void {
  for (const field of ['kind', 'name']) {
    const value = textIn(reference, field);
    if (value === '') errors.required(at.child(field));
    for (const problem of isValidPathSegmentName(value)) errors.invalid(at.child(field), value, problem);
  }
  const apiVersion = textIn(reference, 'apiVersion');
  const problem = apiVersionProblem(apiVersion, rules);
  if (problem !== undefined) errors.invalid(at.child('apiVersion'), apiVersion, problem);
}

export function apiVersionProblem(apiVersion: string, { emptyGroup, anyApiVersion }: ReferenceRules): string | undefined {
  if (anyApiVersion) return undefined;
  const parts = apiVersion.split('/');
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || emptyGroup ? undefined : 'apiVersion must specify API group';
}
