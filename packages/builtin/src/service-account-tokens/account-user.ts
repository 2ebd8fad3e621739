import type { User } from '@tsukube/apiserver';

const userPrefix = 'system:serviceaccount:';
const credentialId = 'authentication.kubernetes.io/credential-id';

export function accountUsername(namespace: string, name: string): string {
  return `${userPrefix}${namespace}:${name}`;
}

/** What a token proves: which account, and where known which pod on which node uses it. */
export interface AccountIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pod?: { readonly name: string; readonly uid: string };
  readonly node?: { readonly name: string; readonly uid: string };
  /** The name of the token itself. */
  readonly tokenId?: string;
}

export function accountUser({ namespace, name, uid, pod, node, tokenId }: AccountIdentity): User {
  const extra: Record<string, readonly string[]> = {};
  if (pod) extra['authentication.kubernetes.io/pod-name'] = [pod.name];
  if (pod) extra['authentication.kubernetes.io/pod-uid'] = [pod.uid];
  if (tokenId) extra[credentialId] = [credentialIdOf(tokenId)];
  if (node) extra['authentication.kubernetes.io/node-name'] = [node.name];
  if (node?.uid) extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  const user = { name: accountUsername(namespace, name), uid, groups };
  return Object.keys(extra).length === 0 ? user : { ...user, extra };
}

export function credentialIdOf(tokenId: string): string {
  return `JTI=${tokenId}`;
}
