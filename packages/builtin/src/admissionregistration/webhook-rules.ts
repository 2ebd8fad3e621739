import { deepEqual, type JsonObject, objectsIn, textIn, textsIn } from '@tsukube/machinery';

export const reviewVersions = ['v1', 'v1beta1'];
export const harmlessSideEffects = ['None', 'NoneOnDryRun'];

/** What is asked of webhooks. An update may leave wrong what was wrong before. */
export interface WebhookRules {
  readonly noSideEffects: boolean;
  readonly knownReviewVersion: boolean;
  readonly uniqueNames: boolean;
  readonly matchConditions: boolean;
  readonly allowInvalidValues: boolean;
}

export const rulesForNew: WebhookRules = {
  noSideEffects: true,
  knownReviewVersion: true,
  uniqueNames: true,
  matchConditions: true,
  allowInvalidValues: false,
};

export function rulesForUpdate(
  hooks: readonly JsonObject[],
  old: readonly JsonObject[],
): Omit<WebhookRules, 'allowInvalidValues'> {
  return {
    noSideEffects: old.every((hook) => harmlessSideEffects.includes(textIn(hook, 'sideEffects'))),
    knownReviewVersion: old.every((hook) => {
      const versions = textsIn(hook, 'admissionReviewVersions');
      return versions.length === 0 || versions.some(isReviewVersion);
    }),
    uniqueNames: new Set(old.map((hook) => textIn(hook, 'name'))).size === old.length,
    matchConditions: !sameConditions(hooks, old),
  };
}

export function isReviewVersion(version: string): boolean {
  return reviewVersions.includes(version);
}

function sameConditions(hooks: readonly JsonObject[], old: readonly JsonObject[]): boolean {
  if (hooks.length !== old.length) return false;
  return hooks.every((hook, i) => deepEqual([...objectsIn(hook, 'matchConditions')], [...objectsIn(old[i], 'matchConditions')]));
}
