import { type Resource, type Review, reviewVerbs, type ServedVersion } from '@tsukube/apiserver';
import { schemaOf } from '../common/schema.ts';

/** A virtual kind that only has create: the response is the review with its status filled in. Never stored. */
export function reviewResource(group: string, kind: string, review: Review, scope: Resource['scope'] = 'Cluster'): Resource {
  const type = `${group.split('.')[0]}.v1.${kind}`;
  const v1: ServedVersion = { group, version: 'v1', schema: schemaOf(type) };
  const singular = kind.toLowerCase();
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
    scope,
    storagePrefix: '',
    hub: v1,
    versions: [v1],
    verbs: reviewVerbs(review),
    strategy: {},
  };
}
