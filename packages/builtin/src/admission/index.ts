import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  forbiddenByAdmission,
  mutatingPolicyPlugin,
  mutatingWebhookPlugin,
  type PolicyPluginParts,
  type Resource,
  validatingPolicyPlugin,
  validatingWebhookPlugin,
} from '@tsukube/apiserver';
import { groupResourceText } from '@tsukube/machinery';
import { admissionGroup } from '../admissionregistration/group.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './common/certificates.ts';
import type { PluginContext, PluginDefinition, ReviewWebhook, TolerationSeconds } from './common/plugin.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { alwaysPullImages } from './images/always-pull-images.ts';
import { imagePolicyWebhook } from './images/image-policy-webhook.ts';
import { limitRanger } from './limits/limit-ranger.ts';
import { namespaceAutoProvision, namespaceExists } from './namespaces/namespace-auto-provision.ts';
import { namespaceLifecycle } from './namespaces/namespace-lifecycle.ts';
import { defaultIngressClass, denyServiceExternalIPs } from './network.ts';
import { nodeDeclaredFeatureValidator } from './nodes/node-declared-feature-validator.ts';
import { nodeRestriction } from './nodes/node-restriction.ts';
import { podResizeValidator } from './nodes/pod-resize-validator.ts';
import { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts';
import { ownerReferencesPermissionEnforcement } from './ownership/owner-references-permission-enforcement.ts';
import { resourcesOfKind } from './ownership/resources-of-kind.ts';
import { checkedResources } from './pod-security/checked-resources.ts';
import { podSecurity } from './pod-security/index.ts';
import { defaultTolerationSeconds } from './pods/default-toleration-seconds.ts';
import { extendedResourceToleration } from './pods/extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from './pods/limit-pod-hard-anti-affinity-topology.ts';
import { podNodeSelector } from './pods/pod-node-selector.ts';
import { podTolerationRestriction } from './pods/pod-toleration-restriction.ts';
import { podTopologyLabels } from './pods/pod-topology-labels.ts';
import { priority } from './pods/priority.ts';
import { runtimeClassAdmission } from './pods/runtime-class.ts';
import { serviceAccountAdmission } from './pods/service-account.ts';
import { resourceQuotaAdmission } from './resource-quota/index.ts';
import { defaultStorageClass } from './storage/default-storage-class.ts';
import { persistentVolumeClaimResize } from './storage/persistent-volume-claim-resize.ts';
import { storageObjectInUseProtection } from './storage/storage-object-in-use-protection.ts';

export { imagePolicyConfiguration } from './images/image-policy-configuration.ts';
export type { PluginContext, PluginDefinition, ReviewWebhook, TolerationSeconds };

type Create = PluginDefinition['create'];

/** A plugin that is enabled by default. `resources` are those it acts on, such as `ingresses.networking.k8s.io`; all if absent. */
function on(name: string, create: Create, resources?: Iterable<string>): PluginDefinition {
  return { name, isDefault: true, create: resources ? limitedTo(resources, create) : create };
}

/** A plugin that must be enabled. */
function off(name: string, create: Create, resources?: Iterable<string>): PluginDefinition {
  return { ...on(name, create, resources), isDefault: false };
}

function limitedTo(resources: Iterable<string>, create: Create): Create {
  const texts = new Set(resources);
  const handles = ({ hub, names }: Resource) => texts.has(groupResourceText({ group: hub.group, resource: names.plural }));
  return (context) => ({ ...create(context), handles });
}

const pods = ['pods'];
const claims = ['persistentvolumeclaims'];
const signingRequests = ['certificatesigningrequests.certificates.k8s.io'];

/** A plugin that is enabled by default, but has no effect because its feature gate is off by default. */
function gated(name: string): PluginDefinition {
  return on(name, () => ({ name }));
}

/** `prefix` is that of the names of the resources of policies and bindings. */
function policyParts({ cacheOf, registryOfKind, authorizer, metrics }: PluginContext, prefix: string): PolicyPluginParts {
  return {
    policies: cacheOf(admissionGroup, `${prefix}ies`),
    bindings: cacheOf(admissionGroup, `${prefix}ybindings`),
    namespaces: cacheOf('', 'namespaces'),
    registryOfKind,
    authorizer,
    metrics,
  };
}

/** All plugins, in the order in which they run. */
export const admissionPlugins: readonly PluginDefinition[] = [
  off('AlwaysAdmit', () => alwaysAdmit),
  off('NamespaceAutoProvision', ({ registryOf }) => namespaceAutoProvision(registryOf('', 'namespaces'))),
  on('NamespaceLifecycle', ({ cacheOf }) => namespaceLifecycle(cacheOf('', 'namespaces'))),
  off('NamespaceExists', ({ cacheOf }) => namespaceExists(cacheOf('', 'namespaces'))),
  off('LimitPodHardAntiAffinityTopology', () => limitPodHardAntiAffinityTopology, pods),
  on('LimitRanger', ({ cacheOf }) => limitRanger(cacheOf('', 'limitranges')), [...pods, ...claims]),
  on('ServiceAccount', ({ cacheOf }) => serviceAccountAdmission(cacheOf('', 'serviceaccounts')), pods),
  off('NodeRestriction', ({ cacheOf, authorizer }) => nodeRestriction(cacheOf, authorizer)),
  on('TaintNodesByCondition', () => taintNodesByCondition, ['nodes']),
  off('AlwaysPullImages', () => alwaysPullImages, pods),
  off(
    'ImagePolicyWebhook',
    ({ configurationOf, openWebhook, now }) => imagePolicyWebhook(configurationOf('ImagePolicyWebhook'), openWebhook, now),
    pods,
  ),
  on(
    'PodSecurity',
    podSecurity,
    [...checkedResources].map(([resource, { group }]) => groupResourceText({ group, resource })),
  ),
  off(
    'PodNodeSelector',
    ({ cacheOf, configurationOf }) => podNodeSelector(cacheOf('', 'namespaces'), configurationOf('PodNodeSelector')),
    pods,
  ),
  on('Priority', ({ cacheOf }) => priority(cacheOf('scheduling.k8s.io', 'priorityclasses')), [
    ...pods,
    'priorityclasses.scheduling.k8s.io',
  ]),
  on('DefaultTolerationSeconds', ({ tolerationSeconds }) => defaultTolerationSeconds(tolerationSeconds), pods),
  off(
    'PodTolerationRestriction',
    ({ cacheOf, configurationOf }) =>
      podTolerationRestriction(cacheOf('', 'namespaces'), configurationOf('PodTolerationRestriction')),
    pods,
  ),
  off('EventRateLimit', ({ configurationOf, now }) => eventRateLimit(configurationOf('EventRateLimit'), now)),
  off('ExtendedResourceToleration', () => extendedResourceToleration, pods),
  on('DefaultStorageClass', ({ cacheOf }) => defaultStorageClass(cacheOf('storage.k8s.io', 'storageclasses')), claims),
  on('StorageObjectInUseProtection', () => storageObjectInUseProtection),
  gated('PodGroupProtection'),
  off('OwnerReferencesPermissionEnforcement', ({ authorizer, resources, cacheOf }) =>
    ownerReferencesPermissionEnforcement(
      authorizer,
      resourcesOfKind(resources, cacheOf('apiextensions.k8s.io', 'customresourcedefinitions')),
    ),
  ),
  on(
    'PersistentVolumeClaimResize',
    ({ cacheOf }) => persistentVolumeClaimResize(cacheOf('storage.k8s.io', 'storageclasses')),
    claims,
  ),
  on('RuntimeClass', ({ cacheOf }) => runtimeClassAdmission(cacheOf('node.k8s.io', 'runtimeclasses')), pods),
  on('CertificateApproval', ({ authorizer }) => certificateApproval(authorizer), signingRequests),
  on('CertificateSigning', ({ authorizer }) => certificateSigning(authorizer), signingRequests),
  gated('ClusterTrustBundleAttest'),
  on('CertificateSubjectRestriction', () => certificateSubjectRestriction, signingRequests),
  on('DefaultIngressClass', ({ cacheOf }) => defaultIngressClass(cacheOf('networking.k8s.io', 'ingressclasses')), [
    'ingresses.networking.k8s.io',
  ]),
  off('DenyServiceExternalIPs', () => denyServiceExternalIPs, ['services']),
  on('PodTopologyLabels', ({ cacheOf }) => podTopologyLabels(cacheOf('', 'nodes')), pods),
  gated('PodGroupWorkloadExists'),
  on('NodeDeclaredFeatureValidator', ({ cacheOf }) => nodeDeclaredFeatureValidator(cacheOf('', 'nodes')), pods),
  gated('JobValidation'),
  on('PodResizeValidator', ({ cacheOf }) => podResizeValidator(cacheOf('', 'nodes')), pods),
  on('MutatingAdmissionPolicy', (context) => mutatingPolicyPlugin(policyParts(context, 'mutatingadmissionpolic'))),
  on('MutatingAdmissionWebhook', mutatingWebhookPlugin),
  on('ValidatingAdmissionPolicy', (context) => validatingPolicyPlugin(policyParts(context, 'validatingadmissionpolic'))),
  on('ValidatingAdmissionWebhook', validatingWebhookPlugin),
  on('ResourceQuota', resourceQuotaAdmission),
  off('AlwaysDeny', () => alwaysDeny),
];

/** AlwaysAdmit. Deprecated: it has no effect. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit' };

function deny(attributes: AdmissionAttributes): never {
  throw forbiddenByAdmission(attributes, 'admission control is denying all modifications');
}

/** AlwaysDeny: rejects every write. */
export const alwaysDeny: AdmissionPlugin = { name: 'AlwaysDeny', mutate: deny, validate: deny };
