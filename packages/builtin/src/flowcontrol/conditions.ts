import { type FieldErrors, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';

/** Conditions of this group need a type, and each only once. */
export function validateFlowConditions(object: JsonObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, condition] of objectsIn(objectIn(object, 'status'), 'conditions').entries()) {
    const at = path('status', 'conditions').index(i).child('type');
    const type = textIn(condition, 'type');
    if (seen.has(type)) errors.duplicate(at, type);
    seen.add(type);
    if (type === '') errors.required(at);
  }
}
