import {
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { oldNodeLabel } from '../../common/node-selector.ts';

export function nodeWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(mapIn(spec, 'nodeSelector')))
    if (oldNodeLabel(key)) warnings.push(`${at.child('nodeSelector').key(key)}: ${oldNodeLabel(key)}`);
  const affinity = objectIn(objectIn(spec, 'affinity'), 'nodeAffinity');
  const here = at.child('affinity', 'nodeAffinity');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const [i, term] of objectsIn(objectIn(affinity, required), 'nodeSelectorTerms').entries())
    warnings.push(...termWarnings(term, here.child(required, 'nodeSelectorTerms').index(i), false));
  for (const [i, term] of objectsIn(affinity, preferred).entries())
    warnings.push(...termWarnings(objectIn(term, 'preference'), here.child(preferred).index(i).child('preference'), true));
  return warnings;
}

function termWarnings(term: JsonObject | undefined, at: FieldPath, checkValues: boolean): readonly string[] {
  return objectsIn(term, 'matchExpressions').flatMap((expression, i) => {
    const here = at.child('matchExpressions').index(i);
    const key = textIn(expression, 'key');
    const warnings = oldNodeLabel(key) ? [`${here.child('key')}: ${key} is ${oldNodeLabel(key)}`] : [];
    if (!checkValues) return warnings;
    for (const [j, value] of textsIn(expression, 'values').entries())
      for (const problem of isValidLabelValue(value))
        warnings.push(`${here.child('values').index(j)}: ${value} is invalid, ${problem}`);
    return warnings;
  });
}

const matchesNothing = 'a null labelSelector results in matching no pod';

export function spreadWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  return objectsIn(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const key = textIn(constraint, 'topologyKey');
    const warnings = oldNodeLabel(key) ? [`${at.index(i).child('topologyKey')}: ${key} is ${oldNodeLabel(key)}`] : [];
    if (!constraint.labelSelector) warnings.push(`${at.index(i).child('labelSelector')}: ${matchesNothing}`);
    return warnings;
  });
}

export function affinityWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const affinity = objectIn(spec, 'affinity');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const terms = objectIn(affinity, kind);
    const warnings: string[] = [];
    for (const [i, term] of objectsIn(terms, required).entries())
      if (!term.labelSelector) warnings.push(`${at.child(kind, required).index(i).child('labelSelector')}: ${matchesNothing}`);
    for (const [i, term] of objectsIn(terms, preferred).entries())
      if (!objectIn(term, 'podAffinityTerm')?.labelSelector)
        warnings.push(`${at.child(kind, preferred).index(i).child('podAffinityTerm', 'labelSelector')}: ${matchesNothing}`);
    return warnings;
  });
}
