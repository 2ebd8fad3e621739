import { type FieldErrors, type FieldPath, type JsonObject, nameIsDNSSubdomain, textIn } from '@tsukube/machinery';

/** Which of the ways to say where something is are used. What is wrong with them is reported in their order. */
export function chosenNodes(
  owner: JsonObject,
  at: FieldPath,
  emptyName: string,
  errors: FieldErrors,
  validateSelector: () => void,
): string[] {
  const chosen: string[] = [];
  const name = textIn(owner, 'nodeName');
  if (owner.nodeName !== undefined && name === '') errors.invalid(at.child('nodeName'), name, emptyName);
  if (name !== '') {
    chosen.push('`nodeName`');
    for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at.child('nodeName'), name, problem);
  }
  if (owner.nodeSelector !== undefined) chosen.push('`nodeSelector`');
  validateSelector();
  if (owner.allNodes === true) chosen.push('`allNodes`');
  if (owner.allNodes === false) errors.invalid(at.child('allNodes'), false, 'must be either unset or set to true');
  return chosen;
}
