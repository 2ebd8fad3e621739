import { type FieldErrors, type FieldPath, isQualifiedName, type JsonObject, objectsIn, textIn } from '@tsukube/machinery';

const maxConditions = 64;

export function validateMatchConditions(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const conditions = objectsIn(owner, 'matchConditions');
  const seen = new Set<string>();
  if (conditions.length > maxConditions) errors.tooMany(at, conditions.length, maxConditions);
  for (const [i, condition] of conditions.entries()) {
    const name = textIn(condition, 'name');
    validateMatchCondition(condition, name, at.index(i), errors);
    if (name !== '' && seen.has(name)) errors.duplicate(at.index(i).child('name'), name);
    seen.add(name);
  }
}

function validateMatchCondition(condition: JsonObject, name: string, at: FieldPath, errors: FieldErrors): void {
  if (textIn(condition, 'expression').trim() === '') errors.required(at.child('expression'));
  if (name === '') errors.required(at.child('name'));
  else for (const problem of isQualifiedName(name)) errors.invalid(at.child('name'), name, problem);
}
