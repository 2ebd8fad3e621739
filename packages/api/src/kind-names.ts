import type { KindNames } from '@tsukube/machinery';
import { parsedTypes } from './catalogue.ts';

const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.';
const aggregator = 'io.k8s.kube-aggregator.pkg.apis.';

/** Kinds that Kubernetes still registers but no longer serves. */
const removed: Readonly<Record<string, string>> = {
  'apps/v1beta1': 'Deployment DeploymentRollback Scale StatefulSet ControllerRevision',
  'apps/v1beta2': 'Deployment Scale StatefulSet DaemonSet ReplicaSet ControllerRevision',
  'extensions/v1beta1': 'Deployment DeploymentRollback Scale DaemonSet Ingress ReplicaSet NetworkPolicy',
};
const options = ['List', 'Get', 'Delete', 'Create', 'Update', 'Patch'].map((verb) => `${verb}Options`);
const everywhere = new Set([...options, 'WatchEvent']);
const unversioned = new Set(['Status', 'APIVersions', 'APIGroupList', 'APIGroup', 'APIResourceList']);

/** Go type names and schemes of kinds, for error messages. */
export const kindNames: KindNames = {
  scheme(type) {
    if (type.startsWith(extensions)) return 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55';
    if (type.startsWith(aggregator)) return 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28';
    return 'pkg/api/legacyscheme/scheme.go:30';
  },
  hubType: (type) => hubOf(type.split('.').slice(-3)),
  find(type, apiVersion, kind) {
    const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
    const parts = [groupName(group), version, kind];
    if (isMeta(type, apiVersion, kind)) return { goType: `v1.${kind}`, hubType: `v1.${kind}` };
    const known = isTypeOfKind(`${siblingsOf(type)}${parts.join('.')}`) || isRemoved(type, apiVersion, kind);
    return known ? { goType: `${version}.${kind}`, hubType: hubOf(parts) } : undefined;
  },
};

/** The package prefix of the scheme that a type is registered in. */
function siblingsOf(type: string): string {
  return [extensions, aggregator].find((prefix) => type.startsWith(prefix)) ?? 'io.k8s.api.';
}

function isTypeOfKind(name: string): boolean {
  return parsedTypes.has(name) && parsedTypes.get(name).gvks !== undefined;
}

function isRemoved(type: string, apiVersion: string, kind: string): boolean {
  return siblingsOf(type) === 'io.k8s.api.' && (removed[apiVersion]?.split(' ').includes(kind.replace(/List$/, '')) ?? false);
}

/** Options and WatchEvent are registered in every group version, unversioned kinds in v1 only. */
function isMeta(type: string, apiVersion: string, kind: string): boolean {
  if (apiVersion === 'v1') return everywhere.has(kind) || unversioned.has(kind);
  return everywhere.has(kind) && isGroupVersion(type, apiVersion);
}

function isGroupVersion(type: string, apiVersion: string): boolean {
  const [group = '', version] = apiVersion.split('/');
  const prefix = `${siblingsOf(type)}${groupName(group)}.${version}.`;
  for (const name of parsedTypes.names()) if (name.startsWith(prefix)) return true;
  return false;
}

/** The Go package name of a group: rbac for rbac.authorization.k8s.io. */
function groupName(group: string): string {
  return group === '' ? 'core' : (group.split('.')[0] ?? group);
}

/** The internal type of a kind. */
function hubOf([group = '', , kind = '']: readonly string[]): string {
  if (group === 'events') return `core.${kind}`;
  if (kind === 'Scale') return 'autoscaling.Scale';
  if (group !== 'extensions') return `${group}.${kind}`;
  return /^(Ingress|NetworkPolicy)(List)?$/.test(kind) ? `networking.${kind}` : `apps.${kind}`;
}
