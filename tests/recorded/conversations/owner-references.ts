import type { Conversations } from '../conversation.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u1' };
const other = { ...owner, name: 'q', uid: 'u2' };
const maps = '/api/v1/namespaces/NS/configmaps';
const configMap = (ownerReferences: unknown[]) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ownerReferences },
});

/** Duplicates are dropped before mutating admission, and once more after it; those of a patch only after it. */
export default {
  duplicates: [
    ['POST', maps, configMap([owner, owner, other])],
    ['PUT', `${maps}/a`, configMap([other, owner, other, owner])],
    [
      'PATCH',
      `${maps}/a`,
      [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner }],
      { 'content-type': 'application/json-patch+json' },
    ],
    ['PATCH', `${maps}/a`, { metadata: { ownerReferences: [owner, owner] } }, { 'content-type': 'application/merge-patch+json' }],
    ['PATCH', `${maps}/a?fieldManager=m`, configMap([owner, owner]), { 'content-type': 'application/apply-patch+yaml' }],
  ],
} satisfies Conversations;
