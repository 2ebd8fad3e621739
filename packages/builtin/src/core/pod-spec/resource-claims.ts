import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  mapIn,
  nameIsDNSSubdomain,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { report, validateDNSLabel } from '../../common/field-validation.ts';
import { internalForm } from '../../common/internal-form.ts';

/** Gives the names by which containers refer to claims. */
export function validateResourceClaims(
  spec: JsonObject,
  pod: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): ReadonlySet<string> {
  const names = new Set<string>();
  const isMirror = Object.hasOwn(mapIn(pod, 'annotations'), 'kubernetes.io/config.mirror');
  for (const [i, claim] of objectsIn(spec, 'resourceClaims').entries()) {
    const here = at.index(i);
    const name = textIn(claim, 'name');
    if (isMirror) errors.forbidden(path(''), 'static pods do not support resource claims');
    else if (name === '') errors.required(here.child('name'));
    else if (names.has(name)) errors.duplicate(here.child('name'), name);
    else validateDNSLabel(name, here.child('name'), errors);
    if (name !== '') names.add(name);
    if (!isMirror) validateClaimSource(claim, here, errors);
  }
  return names;
}

const sources = ['resourceClaimName', 'resourceClaimTemplateName'];

function validateClaimSource(claim: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const given = sources.filter((source) => claim[source] !== undefined);
  if (given.length === 2)
    errors.invalid(
      at,
      internalForm(claim, 'PodResourceClaim'),
      'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
    );
  if (given.length === 0)
    errors.invalid(
      at,
      internalForm(claim, 'PodResourceClaim'),
      'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    );
  for (const source of given) {
    const name = textIn(claim, source);
    report(nameIsDNSSubdomain(name, false), at.child(source), name, errors);
  }
}
