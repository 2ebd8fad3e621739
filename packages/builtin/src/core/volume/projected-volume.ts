import { type FieldErrors, type FieldPath, type JsonObject, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { requireText } from '../../common/field-validation.ts';
import { validateFileMode, validateNonReservedPath } from '../../common/path-rules.ts';
import { validateDownwardFile, validateKeyToPath } from './volume-sources.ts';

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

/** One volume made of several sources, whose files must not get into each other's way. */
export function validateProjected(projected: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateFileMode(projected, 'defaultMode', at, errors);
  const paths = new Set<string>();
  const claim = (path: string, shown: string) => {
    if (path !== '' && paths.has(path)) errors.invalid(at, shown, 'conflicting duplicate paths');
    paths.add(path);
  };
  for (const [i, source] of objectsIn(projected, 'sources').entries()) {
    const here = at.child('sources').index(i);
    for (const kind of ['secret', 'configMap']) validateKeys(objectIn(source, kind), here.child(kind), claim, errors);
    for (const file of objectsIn(objectIn(source, 'downwardAPI'), 'items')) {
      validateDownwardFile(file, here.child('downwardAPI'), errors);
      claim(textIn(file, 'path'), textIn(file, 'path'));
    }
    validateToken(objectIn(source, 'serviceAccountToken'), here.child('serviceAccountToken'), at, errors);
    if (Object.keys(source).length > 1) errors.forbidden(here, 'may not specify more than 1 volume type per source');
  }
}

type Claim = (path: string, shown: string) => void;

function validateKeys(source: JsonObject | undefined, at: FieldPath, claim: Claim, errors: FieldErrors): void {
  if (!source) return;
  requireText(source, 'name', at, errors);
  for (const [i, item] of objectsIn(source, 'items').entries()) {
    validateKeyToPath(item, at.child('items').index(i), errors);
    claim(textIn(item, 'path'), textIn(source, 'name'));
  }
}

function validateToken(token: JsonObject | undefined, at: FieldPath, volume: FieldPath, errors: FieldErrors): void {
  if (!token) return;
  const seconds = numberIn(token, 'expirationSeconds');
  const lifetime = at.child('expirationSeconds');
  if (seconds < minTokenSeconds) errors.invalid(lifetime, seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > maxTokenSeconds) errors.invalid(lifetime, seconds, 'may not specify a duration larger than 2^32 seconds');
  const path = textIn(token, 'path');
  if (path === '') errors.required(volume.child('path'));
  else validateNonReservedPath(path, volume.child('path'), errors);
}
