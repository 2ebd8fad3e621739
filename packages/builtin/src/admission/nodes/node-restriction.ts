import { type AdmissionPlugin, type Authorizer, decodeObject, forbiddenByAdmission, type ObjectCache } from '@tsukube/apiserver';
import { goQuote, type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import { nodeNameOfUser, nodeUserPrefix } from '../../node-authorizer/index.ts';
import { subjectOf } from '../common/certificates.ts';
import { restrictClaim } from './node-restriction-claims.ts';
import { type NodeWrite, type ObjectFinder, restrictNode } from './node-restriction-nodes.ts';
import { restrictPods } from './node-restriction-pods.ts';
import { restrictServiceAccount } from './node-restriction-tokens.ts';

type Restriction = (write: NodeWrite) => void | Promise<void>;

/** By resource and group. Other resources are not restricted. */
const restrictions: Readonly<Record<string, Restriction>> = {
  'pods.': restrictPods,
  'nodes.': restrictNode,
  'persistentvolumeclaims.': restrictClaim,
  'serviceaccounts.': restrictServiceAccount,
  'podcertificaterequests.certificates.k8s.io': ({ attributes }) => {
    throw forbiddenByAdmission(attributes, 'PodCertificateRequest feature gate is disabled');
  },
  'leases.coordination.k8s.io': restrictLease,
  'csinodes.storage.k8s.io': restrictCsiNode,
  'resourceslices.resource.k8s.io': restrictResourceSlice,
  'certificatesigningrequests.certificates.k8s.io': restrictSigningRequest,
};

/** NodeRestriction: kubelets may only write their own Node and the pods that run there. For other users it compares the user name only. */
export function nodeRestriction(
  objectsOf: (group: string, resource: string) => ObjectCache | undefined,
  authorizer: Authorizer,
): AdmissionPlugin {
  const cluster: ObjectFinder = {
    authorizer,
    async find(group, resource, namespace, name) {
      const cache = objectsOf(group, resource);
      const entry = await cache?.get(`${cache.prefix}${namespace === '' ? '' : `${namespace}/`}${name}`);
      return entry && decodeObject(entry.value);
    },
  };
  return {
    name: 'NodeRestriction',
    mutate(attributes) {
      const { user, operation, resource } = attributes;
      if (!user.name.startsWith(nodeUserPrefix) || operation === 'CONNECT') return;
      const node = nodeNameOfUser(user);
      if (node === undefined) return;
      if (node === '') throw forbiddenByAdmission(attributes, `could not determine node from user ${goQuote(user.name)}`);
      return restrictions[`${resource.names.plural}.${resource.hub.group}`]?.({ node, attributes, cluster });
    },
  };
}

function restrictLease({ node, attributes }: NodeWrite): void {
  if (attributes.namespace !== 'kube-node-lease')
    throw forbiddenByAdmission(attributes, 'can only access leases in the "kube-node-lease" system namespace');
  if (attributes.name !== node)
    throw forbiddenByAdmission(attributes, 'can only access node lease with the same name as the requesting node');
}

function restrictCsiNode({ node, attributes }: NodeWrite): void {
  if (attributes.name !== node)
    throw forbiddenByAdmission(attributes, 'can only access CSINode with the same name as the requesting node');
}

/** Updates are checked by the node authorizer. */
function restrictResourceSlice({ node, attributes }: NodeWrite): void {
  const { operation, object, oldObject } = attributes;
  if (operation === 'UPDATE') return;
  const slice: JsonObject | undefined = operation === 'CREATE' ? object : oldObject;
  const verb = operation === 'CREATE' ? 'create' : 'delete';
  if (textIn(objectIn(slice, 'spec'), 'nodeName') !== node)
    throw forbiddenByAdmission(attributes, `can only ${verb} ResourceSlice with the same NodeName as the requesting node`);
}

const kubeletSigners = ['kubernetes.io/kubelet-serving', 'kubernetes.io/kube-apiserver-client-kubelet'];

function restrictSigningRequest({ node, attributes }: NodeWrite): void {
  const spec = objectIn(attributes.object, 'spec');
  if (attributes.operation !== 'CREATE' || !kubeletSigners.includes(textIn(spec, 'signerName'))) return;
  const subject = subjectOf(spec);
  if ('problem' in subject) throw forbiddenByAdmission(attributes, `unable to parse csr: ${subject.problem}`);
  if (subject.commonName !== nodeUserPrefix + node)
    throw forbiddenByAdmission(attributes, `can only create a node CSR with CN=${nodeUserPrefix}${node}`);
}
