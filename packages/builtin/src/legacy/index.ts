import type { Column, Resource, ServedVersion } from '@tsukube/apiserver';
import { type KubeObject, memoize } from '@tsukube/machinery';
import { eventsV1 } from '../core/events-v1.ts';
import { mutatingWebhookVersions, validatingWebhookVersions } from './admissionregistration.ts';
import {
  localSubjectAccessReviewVersions,
  selfSubjectAccessReviewVersions,
  selfSubjectRulesReviewVersions,
  subjectAccessReviewVersions,
} from './authorization.ts';
import { autoscalerVersions } from './autoscaling.ts';
import { signingRequestVersions } from './certificates.ts';
import { definitionVersions } from './definitions.ts';
import { endpointSliceVersions } from './discovery.ts';
import { flowSchemaVersions, priorityLevelVersions } from './flow-control.ts';
import { type LegacyConversion, legacyVersion, sameShape } from './legacy-version.ts';
import { withLenientValidation } from './lenient-validation.ts';
import { ingressClassVersions, ingressVersions } from './networking.ts';
import { disruptionBudgetVersions } from './policy.ts';

/** The same fields as events.k8s.io/v1. */
const eventVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'events.k8s.io',
    type: 'events.v1beta1.Event',
    hub: 'core.v1.Event',
    hubGroup: '',
    deprecated: 22,
    removed: 25,
    conversion: eventsV1.converter as LegacyConversion,
    selectableFields: eventsV1.selectableFields,
    filterError: (error) => (error.field === 'reportingComponent' ? { ...error, field: 'reportingController' } : error),
  }),
];

const rbac = 'rbac.authorization.k8s.io';
const storage = 'storage.k8s.io';

/** API versions that Kubernetes has removed and this server still serves, by plural.group of the hub. */
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
  // v1beta1 has no status subresource.
  [`volumeattachments.${storage}`]: sameShape('storage.v1beta1.VolumeAttachment', storage, 19, 22, {
    preservedFields: ['status'],
  }),
};

/** Appends the removed versions to the served versions of each resource. */
export function withLegacyVersions(resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => {
    const legacy = legacyOf(resource).map((version) => withHubColumns(version, resource.hub));
    return legacy.length === 0
      ? resource
      : { ...resource, ...withLenientValidation(resource), versions: [...resource.versions, ...legacy] };
  });
}

function legacyOf({ names, hub }: Resource): readonly ServedVersion[] {
  return legacyVersions[hub.group === '' ? names.plural : `${names.plural}.${hub.group}`] ?? [];
}

type ToHub = (object: KubeObject) => KubeObject;

/** Tables and field selectors of old versions are those of the hub. */
export function withHubColumns(version: ServedVersion, hub: ServedVersion): ServedVersion {
  // All cells of a row convert the same object.
  const toHub: ToHub = memoize((object) => (version.converter?.toHub(object) as KubeObject | undefined) ?? object);
  const { columns, rowConditions, selectableFields } = hub;
  return {
    ...(columns && { columns: columns.map((column) => throughHub(column, toHub)) }),
    ...(rowConditions && { rowConditions: (object: KubeObject) => rowConditions(toHub(object)) }),
    ...(selectableFields && { selectableFields: fieldsThroughHub(selectableFields, toHub) }),
    ...version,
  };
}

/** Keeps the description lazy. */
function throughHub(column: Column, toHub: ToHub): Column {
  const { name, type, format, priority } = column;
  return {
    name,
    type,
    ...(format !== undefined && { format }),
    ...(priority !== undefined && { priority }),
    get description() {
      return column.description;
    },
    value: (object) => column.value(toHub(object)),
  };
}

function fieldsThroughHub(
  fields: NonNullable<ServedVersion['selectableFields']>,
  toHub: ToHub,
): NonNullable<ServedVersion['selectableFields']> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, (object: KubeObject) => value(toHub(object))]));
}
