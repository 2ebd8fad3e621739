import type { AccessAttributes } from '@tsukube/apiserver';
import { type NodeRelations, type RelatedKind, target } from './node-relations.ts';

/** True: allowed. A text: not, and why; it may be empty. */
export type NodeDecision = true | string;

type Rule = (node: string, access: AccessAttributes, relations: NodeRelations) => NodeDecision;

/** Resources of which a node sees only what is its own; for all others it has what its role allows. */
export const ownResources: Readonly<Record<string, Rule>> = {
  'secrets.': readNamespaced('secret'),
  'configmaps.': readNamespaced('configmap'),
  'persistentvolumeclaims.': (node, access, relations) =>
    access.subresource === 'status' ? claimStatus(node, access, relations) : getOne('claim')(node, access, relations),
  'persistentvolumes.': (node, access, relations) =>
    onlyGet(access) ?? named(node, access, relations.mayUseVolume(node, access.name)),
  'resourceclaims.resource.k8s.io': getOne('resourceclaim'),
  'volumeattachments.storage.k8s.io': getOne('attachment'),
  'serviceaccounts.': serviceAccount,
  'leases.coordination.k8s.io': lease,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  'nodes.': ownNode,
  'pods.': pod,
  // Kubernetes lets nodes have them only where the feature is on, which by default it is not.
  'podcertificaterequests.certificates.k8s.io': () => '',
};

function named(node: string, { name }: AccessAttributes, isRelated: boolean): NodeDecision {
  if (name === '') return 'No Object name found';
  return isRelated || `no relationship found between node '${node}' and this object`;
}

function related(kind: RelatedKind): Rule {
  return (node, access, relations) => named(node, access, relations.isRelated(node, target(kind, access.namespace, access.name)));
}

function readNamespaced(kind: RelatedKind): Rule {
  return (node, access, relations) => {
    if (!['get', 'list', 'watch'].includes(access.verb)) return 'can only read resources of this type';
    if (access.subresource !== '') return 'cannot read subresource';
    if (access.namespace === '') return 'can only read namespaced object of this type';
    return related(kind)(node, access, relations);
  };
}

/** Why it is not a get of an object. */
function onlyGet({ verb, subresource }: AccessAttributes): string | undefined {
  if (verb !== 'get') return 'can only get individual resources of this type';
  return subresource === '' ? undefined : 'cannot get subresource';
}

function getOne(kind: RelatedKind): Rule {
  return (node, access, relations) => onlyGet(access) ?? related(kind)(node, access, relations);
}

const claimStatus: Rule = (node, access, relations) =>
  access.verb === 'update' || access.verb === 'patch'
    ? related('claim')(node, access, relations)
    : 'can only get/update/patch this type';

function serviceAccount(node: string, access: AccessAttributes, relations: NodeRelations): NodeDecision {
  const { verb, name, subresource } = access;
  if (verb === 'get' && subresource === '') return readNamespaced('serviceaccount')(node, access, relations);
  if (verb !== 'create' || name === '') return 'can only create tokens for individual service accounts';
  if (subresource !== 'token') return 'can only create token subresource of serviceaccount';
  return related('serviceaccount')(node, access, relations);
}

const ownVerbs = ['get', 'create', 'update', 'patch', 'delete'];

function lease(node: string, { verb, namespace, name }: AccessAttributes): NodeDecision {
  if (!ownVerbs.includes(verb)) return 'can only get, create, update, patch, or delete a node lease';
  if (namespace !== 'kube-node-lease') return 'can only access leases in the "kube-node-lease" system namespace';
  return verb === 'create' || name === node || 'can only access node lease with the same name as the requesting node';
}

function csiNode(node: string, { verb, subresource, name }: AccessAttributes): NodeDecision {
  if (!ownVerbs.includes(verb)) return 'can only get, create, update, patch, or delete a CSINode';
  if (subresource !== '') return 'cannot authorize CSINode subresources';
  return verb === 'create' || name === node || 'can only access CSINode with the same name as the requesting node';
}

function selects({ fieldSelector }: AccessAttributes, field: string, value: string): boolean {
  const requirements = fieldSelector?.requirements ?? [];
  return requirements.some((one) => one.field === field && one.operator === '=' && one.value === value);
}

function resourceSlice(node: string, access: AccessAttributes, relations: NodeRelations): NodeDecision {
  const { verb, subresource } = access;
  if (subresource !== '') return 'cannot authorize ResourceSlice subresources';
  if (verb === 'create') return true;
  if (ownVerbs.includes(verb)) return related('slice')(node, access, relations);
  if (!['watch', 'list', 'deletecollection'].includes(verb))
    return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
  const why = 'can only list/watch/deletecollection resourceslices with nodeName field selector';
  return selects(access, 'spec.nodeName', node) || why;
}

/** That a node writes only to itself is for admission to see to. */
function ownNode(node: string, { verb, subresource, name }: AccessAttributes): NodeDecision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' || '';
  if (subresource !== '') return '';
  if (['create', 'update', 'patch'].includes(verb)) return true;
  if (!['get', 'list', 'watch'].includes(verb)) return '';
  if (name === node) return true;
  return `node '${node}' cannot read ${name === '' ? 'all nodes' : `'${name}'`}, only its own Node object`;
}

function pod(node: string, access: AccessAttributes, relations: NodeRelations): NodeDecision {
  const { verb, subresource, name } = access;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' || '';
  if (subresource === 'eviction') return verb === 'create' || '';
  if (subresource !== '') return '';
  if (verb === 'create' || verb === 'delete') return true;
  if (verb === 'get') return related('pod')(node, access, relations);
  if (verb !== 'list' && verb !== 'watch') return '';
  if (selects(access, 'spec.nodeName', node)) return true;
  return name === '' ? 'can only list/watch pods with spec.nodeName field selector' : related('pod')(node, access, relations);
}
