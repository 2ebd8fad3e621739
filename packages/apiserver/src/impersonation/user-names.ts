import { isDNS1123Label, isDNS1123Subdomain } from '@tsukube/machinery';
import type { User } from '../http/request.ts';

const nodePrefix = 'system:node:';

/** The node whose name a user has. */
export function nodeOfUser(username: string): string | undefined {
  if (!username.startsWith(nodePrefix)) return undefined;
  const name = username.slice(nodePrefix.length);
  return isDNS1123Subdomain(name).length === 0 ? name : undefined;
}

export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** The service account whose name a user has. */
export function serviceAccountOfUser(username: string): ServiceAccountName | undefined {
  const parts = username.split(':');
  const [system, kind, namespace, name] = parts;
  if (parts.length !== 4 || system !== 'system' || kind !== 'serviceaccount') return undefined;
  if (!namespace || !name) return undefined;
  const isValid = isDNS1123Label(namespace).length === 0 && isDNS1123Subdomain(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}

export function serviceAccountGroups(namespace: string): readonly string[] {
  return ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** Whether a service account runs on the node that a user is. */
export function runsOnNode({ name, extra }: User, username: string): boolean {
  const node = nodeOfUser(username);
  if (node === undefined || !serviceAccountOfUser(name)) return false;
  const [known, ...more] = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return known === node && more.length === 0;
}
