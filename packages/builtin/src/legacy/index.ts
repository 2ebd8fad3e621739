import type { Resource, ServedVersion } from '@tsukube/apiserver';
import {
  localSubjectAccessReviewVersions,
  selfSubjectAccessReviewVersions,
  selfSubjectRulesReviewVersions,
  subjectAccessReviewVersions,
} from './authorization.ts';
import { autoscalerVersions } from './autoscaling.ts';
import { definitionVersions } from './definitions.ts';
import { endpointSliceVersions, eventVersions } from './discovery.ts';
import { flowSchemaVersions, priorityLevelVersions } from './flow-control.ts';
import { signingRequestVersions } from './kubelet-request.ts';
import { sameShape } from './legacy-version.ts';
import { ingressClassVersions, ingressVersions } from './networking.ts';
import { disruptionBudgetVersions, mutatingWebhookVersions, validatingWebhookVersions } from './policy.ts';
import { presentedLikeHub } from './presentation.ts';
import { tolerant } from './tolerance.ts';

const rbac = 'rbac.authorization.k8s.io';
const storage = 'storage.k8s.io';

/** The versions that Kubernetes has removed and we still serve, by the plural and the group of their hub. */
export const legacyVersions: Readonly<Record<string, readonly ServedVersion[]>> = {
  events: eventVersions,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': mutatingWebhookVersions,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': validatingWebhookVersions,
  'customresourcedefinitions.apiextensions.k8s.io': definitionVersions,
  'apiservices.apiregistration.k8s.io': sameShape('apiregistration.v1beta1.APIService', 'apiregistration.k8s.io', 19, 22),
  'tokenreviews.authentication.k8s.io': sameShape('authentication.v1beta1.TokenReview', 'authentication.k8s.io', 19, 22),
  'subjectaccessreviews.authorization.k8s.io': subjectAccessReviewVersions,
  'localsubjectaccessreviews.authorization.k8s.io': localSubjectAccessReviewVersions,
  'selfsubjectaccessreviews.authorization.k8s.io': selfSubjectAccessReviewVersions,
  'selfsubjectrulesreviews.authorization.k8s.io': selfSubjectRulesReviewVersions,
  'horizontalpodautoscalers.autoscaling': autoscalerVersions,
  'cronjobs.batch': sameShape('batch.v1beta1.CronJob', 'batch', 21, 25),
  'certificatesigningrequests.certificates.k8s.io': signingRequestVersions,
  'leases.coordination.k8s.io': sameShape('coordination.v1beta1.Lease', 'coordination.k8s.io', 19, 22),
  'endpointslices.discovery.k8s.io': endpointSliceVersions,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemaVersions,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelVersions,
  'ingresses.networking.k8s.io': ingressVersions,
  'ingressclasses.networking.k8s.io': ingressClassVersions,
  'runtimeclasses.node.k8s.io': sameShape('node.v1beta1.RuntimeClass', 'node.k8s.io', 22, 25, { replacement: undefined }),
  'poddisruptionbudgets.policy': disruptionBudgetVersions,
  [`clusterroles.${rbac}`]: sameShape('rbac.v1beta1.ClusterRole', rbac, 17, 22),
  [`clusterrolebindings.${rbac}`]: sameShape('rbac.v1beta1.ClusterRoleBinding', rbac, 17, 22),
  [`roles.${rbac}`]: sameShape('rbac.v1beta1.Role', rbac, 17, 22),
  [`rolebindings.${rbac}`]: sameShape('rbac.v1beta1.RoleBinding', rbac, 17, 22),
  'priorityclasses.scheduling.k8s.io': sameShape('scheduling.v1beta1.PriorityClass', 'scheduling.k8s.io', 14, 22),
  [`csidrivers.${storage}`]: sameShape('storage.v1beta1.CSIDriver', storage, 19, 22),
  [`csinodes.${storage}`]: sameShape('storage.v1beta1.CSINode', storage, 17, 22),
  [`csistoragecapacities.${storage}`]: sameShape('storage.v1beta1.CSIStorageCapacity', storage, 24, 27),
  [`storageclasses.${storage}`]: sameShape('storage.v1beta1.StorageClass', storage, 19, 22),
  // It had no subresource for its status.
  [`volumeattachments.${storage}`]: sameShape('storage.v1beta1.VolumeAttachment', storage, 19, 22, { keeps: ['status'] }),
};

/** The resources, each with the versions that Kubernetes has removed behind those that it serves. */
export function withLegacyVersions(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => {
    const legacy = legacyOf(resource).map((version) => presentedLikeHub(version, resource.hub));
    return legacy.length === 0 ? resource : { ...resource, ...tolerant(resource), versions: [...resource.versions, ...legacy] };
  });
}

function legacyOf({ names, hub }: Resource): readonly ServedVersion[] {
  return legacyVersions[hub.group === '' ? names.plural : `${names.plural}.${hub.group}`] ?? [];
}
