import type { ServedVersion } from '@tsukube/apiserver';
import { type JsonObject, objectIn } from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion } from './legacy-version.ts';

/** v1beta1 has `group` instead of `groups`. */
const conversion: LegacyConversion = {
  toHub: (review) => renamed(review, 'group', 'groups'),
  fromHub: (review) => renamed(review, 'groups', 'group'),
};

function renamed(review: JsonObject, from: string, to: string): JsonObject {
  const { [from]: groups, ...spec } = objectIn(review, 'spec') ?? {};
  return { ...review, spec: { ...spec, ...(groups !== undefined && { [to]: groups }) } };
}

function reviewVersion(kind: string, more: { conversion?: LegacyConversion } = {}): readonly ServedVersion[] {
  return [
    legacyVersion({
      ...more,
      group: 'authorization.k8s.io',
      type: `authorization.v1beta1.${kind}`,
      hub: `authorization.v1.${kind}`,
      deprecated: 19,
      removed: 22,
      replacement: `authorization.k8s.io/v1 ${kind}`,
    }),
  ];
}

export const subjectAccessReviewVersions = reviewVersion('SubjectAccessReview', { conversion });
export const localSubjectAccessReviewVersions = reviewVersion('LocalSubjectAccessReview', { conversion });
export const selfSubjectAccessReviewVersions = reviewVersion('SelfSubjectAccessReview');
export const selfSubjectRulesReviewVersions = reviewVersion('SelfSubjectRulesReview');
