import type { ServedVersion } from '@tsukube/apiserver';
import { deepEqual, type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion } from './legacy-version.ts';

const marker = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';
const empty: JsonObject = {};
const matchNone: JsonObject = { matchExpressions: [{ key: marker, operator: 'Exists' }] };
const matchAll: JsonObject = { matchExpressions: [{ key: marker, operator: 'DoesNotExist' }] };

/** An empty selector selects nothing in v1beta1 and everything in v1. */
const conversion: LegacyConversion = {
  toHub: (budget) =>
    withSelector(budget, (selector) => {
      if (deepEqual(selector, empty)) return matchNone;
      return deepEqual(selector, matchAll) ? empty : withoutMarker(selector);
    }),
  fromHub: (budget) =>
    withSelector(budget, (selector) => {
      if (deepEqual(selector, matchNone)) return empty;
      return deepEqual(selector, empty) ? matchAll : selector;
    }),
};

function withSelector(budget: JsonObject, convert: (selector: JsonObject) => JsonObject): JsonObject {
  const spec = objectIn(budget, 'spec');
  const selector = objectIn(spec, 'selector');
  return selector ? { ...budget, spec: { ...spec, selector: convert(selector) } } : budget;
}

/** The marker is dropped from selectors with other requirements. */
function withoutMarker(selector: JsonObject): JsonObject {
  const expressions = objectsIn(selector, 'matchExpressions').filter(({ key }) => key !== marker);
  return { ...selector, matchExpressions: expressions };
}

export const disruptionBudgetVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'policy',
    type: 'policy.v1beta1.PodDisruptionBudget',
    hub: 'policy.v1.PodDisruptionBudget',
    deprecated: 21,
    removed: 25,
    replacement: 'policy/v1 PodDisruptionBudget',
    conversion,
  }),
];
