import type { AccessAttributes } from '@tsukube/apiserver';
import { type NodeGraph, type RelatedKind, target } from './node-graph.ts';

/** `true` if allowed, otherwise the reason, which may be empty. */
type NodeDecision = true | string;

type Rule = (node: string, access: AccessAttributes, graph: NodeGraph) => NodeDecision;

/** Rules by resource. All other resources are subject to the rules of the role system:node. */
export const nodeResourceRules: Readonly<Record<string, Rule>> = {
  'secrets.': readNamespaced('secret'),
  'configmaps.': readNamespaced('configmap'),
  'persistentvolumeclaims.': (node, access, graph) =>
    access.subresource === 'status' ? claimStatus(node, access, graph) : getOne('claim')(node, access, graph),
  'persistentvolumes.': (node, access, graph) =>
    getOnlyReason(access) ?? named(node, access, graph.mayUseVolume(node, access.name)),
  'resourceclaims.resource.k8s.io': getOne('resourceclaim'),
  'volumeattachments.storage.k8s.io': getOne('attachment'),
  'serviceaccounts.': serviceAccount,
  'leases.coordination.k8s.io': lease,
  'csinodes.storage.k8s.io': csiNode,
  'resourceslices.resource.k8s.io': resourceSlice,
  'nodes.': ownNode,
  'pods.': pod,
  // Feature gate PodCertificateRequest is off.
  'podcertificaterequests.certificates.k8s.io': () => '',
};

function named(node: string, { name }: AccessAttributes, isRelated: boolean): NodeDecision {
  if (name === '') return 'No Object name found';
  return isRelated || `no relationship found between node '${node}' and this object`;
}

function related(kind: RelatedKind): Rule {
  return (node, access, graph) => named(node, access, graph.isRelated(node, target(kind, access.namespace, access.name)));
}

function readNamespaced(kind: RelatedKind): Rule {
  return (node, access, graph) => {
    if (!['get', 'list', 'watch'].includes(access.verb)) return 'can only read resources of this type';
    if (access.subresource !== '') return 'cannot read subresource';
    if (access.namespace === '') return 'can only read namespaced object of this type';
    return related(kind)(node, access, graph);
  };
}

/** The reason if the request is not a get of an object. */
function getOnlyReason({ verb, subresource }: AccessAttributes): string | undefined {
  if (verb !== 'get') return 'can only get individual resources of this type';
  return subresource === '' ? undefined : 'cannot get subresource';
}

function getOne(kind: RelatedKind): Rule {
  return (node, access, graph) => getOnlyReason(access) ?? related(kind)(node, access, graph);
}

const claimStatus: Rule = (node, access, graph) =>
  access.verb === 'update' || access.verb === 'patch'
    ? related('claim')(node, access, graph)
    : 'can only get/update/patch this type';

function serviceAccount(node: string, access: AccessAttributes, graph: NodeGraph): NodeDecision {
  const { verb, name, subresource } = access;
  if (verb === 'get' && subresource === '') return readNamespaced('serviceaccount')(node, access, graph);
  if (verb !== 'create' || name === '') return 'can only create tokens for individual service accounts';
  if (subresource !== 'token') return 'can only create token subresource of serviceaccount';
  return related('serviceaccount')(node, access, graph);
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

function resourceSlice(node: string, access: AccessAttributes, graph: NodeGraph): NodeDecision {
  const { verb, subresource } = access;
  if (subresource !== '') return 'cannot authorize ResourceSlice subresources';
  if (verb === 'create') return true;
  if (ownVerbs.includes(verb)) return related('slice')(node, access, graph);
  if (!['watch', 'list', 'deletecollection'].includes(verb))
    return 'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection';
  const why = 'can only list/watch/deletecollection resourceslices with nodeName field selector';
  return selects(access, 'spec.nodeName', node) || why;
}

/** Admission (NodeRestriction) restricts writes to the own node. */
function ownNode(node: string, { verb, subresource, name }: AccessAttributes): NodeDecision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' || '';
  if (subresource !== '') return '';
  if (['create', 'update', 'patch'].includes(verb)) return true;
  if (!['get', 'list', 'watch'].includes(verb)) return '';
  if (name === node) return true;
  return `node '${node}' cannot read ${name === '' ? 'all nodes' : `'${name}'`}, only its own Node object`;
}

function pod(node: string, access: AccessAttributes, graph: NodeGraph): NodeDecision {
  const { verb, subresource, name } = access;
  if (subresource === 'status') return verb === 'update' || verb === 'patch' || '';
  if (subresource === 'eviction') return verb === 'create' || '';
  if (subresource !== '') return '';
  if (verb === 'create' || verb === 'delete') return true;
  if (verb === 'get') return related('pod')(node, access, graph);
  if (verb !== 'list' && verb !== 'watch') return '';
  if (selects(access, 'spec.nodeName', node)) return true;
  return name === '' ? 'can only list/watch pods with spec.nodeName field selector' : related('pod')(node, access, graph);
}
