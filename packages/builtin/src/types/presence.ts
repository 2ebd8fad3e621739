import type { BuiltinCatalogue } from './catalogue.ts';
import { builtinTypes } from './catalogue.ts';
import type { BuiltinField, BuiltinType } from './line.ts';

/** What a field is when nobody set it, which schemas do not tell. */
export interface PresentField extends BuiltinField {
  /** Zero differs from absent: Go holds a pointer. Objects without a default are held by pointer in any case. */
  readonly pointer?: boolean;
  /** Left out of JSON when zero, although it has a default. */
  readonly omitZero?: boolean;
}

/**
 * Kind: the fields, other than objects, that Go holds by pointer. The same in all versions of a kind but for the lines that
 * name a package; such a line adds to that of the kind.
 */
const pointerLines = `AllocatedDeviceStatus: shareID data
AllocationResult: allocationTimestamp
AppArmorProfile: localhostProfile
AzureDiskVolumeSource: cachingMode fsType readOnly kind
AzureFilePersistentVolumeSource: secretNamespace
BasicDevice: nodeName allNodes bindsToNode allowMultipleAllocations
CSIDriverSpec: attachRequired podInfoOnMount storageCapacity fsGroupPolicy requiresRepublish seLinuxMount nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets preventPodSchedulingIfMissing
CSIStorageCapacity: capacity maximumVolumeSize
CSIVolumeSource: readOnly fsType
CapacityRequestPolicy: default
CapacityRequestPolicyRange: min max step
CertificateSigningRequestSpec: expirationSeconds
certificates.v1beta1.CertificateSigningRequestSpec: signerName
ClientIPConfig: timeoutSeconds
ClusterTrustBundleProjection: name signerName optional
ConfigMap: immutable
ConfigMapEnvSource: optional
ConfigMapKeySelector: optional
ConfigMapProjection: optional
ConfigMapVolumeSource: defaultMode optional
Container: restartPolicy
ContainerStatus: started stopSignal
CronJobSpec: timeZone startingDeadlineSeconds suspend successfulJobsHistoryLimit failedJobsHistoryLimit
CronJobStatus: lastScheduleTime lastSuccessfulTime
CustomResourceDefinitionVersion: deprecationWarning
CustomResourceSubresourceScale: labelSelectorPath
DaemonSetSpec: revisionHistoryLimit
DaemonSetStatus: collisionCount
DeleteOptions: gracePeriodSeconds orphanDependents propagationPolicy ignoreStoreReadErrorWithClusterBreakingPotential
DeploymentSpec: replicas revisionHistoryLimit progressDeadlineSeconds
DeploymentStatus: terminatingReplicas collisionCount
Device: nodeName allNodes bindsToNode allowMultipleAllocations
DeviceAttribute: int bool string version
DeviceClassSpec: extendedResourceName
DeviceConstraint: matchAttribute distinctAttribute
DeviceRequest: adminAccess
DeviceRequestAllocationResult: adminAccess shareID
DeviceTaint: timeAdded
DeviceTaintSelector: driver pool device
DeviceToleration: tolerationSeconds
DownwardAPIVolumeFile: mode
DownwardAPIVolumeSource: defaultMode
EmptyDirVolumeSource: sizeLimit
Endpoint: hostname nodeName zone
EndpointAddress: nodeName
EndpointConditions: ready serving terminating
EndpointPort: appProtocol
discovery.v1.EndpointPort: name port protocol
discovery.v1beta1.EndpointPort: name port protocol
EphemeralContainer: restartPolicy
ExactDeviceRequest: adminAccess
ExemptPriorityLevelConfiguration: nominalConcurrencyShares lendablePercent
FCVolumeSource: lun
FileKeySelector: optional
GRPCAction: service
GlusterfsPersistentVolumeSource: endpointsNamespace
HPAScalingRules: stabilizationWindowSeconds selectPolicy tolerance
HTTPIngressPath: pathType
HorizontalPodAutoscalerSpec: minReplicas targetCPUUtilizationPercentage
HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentCPUUtilizationPercentage
HostPathVolumeSource: type
ISCSIPersistentVolumeSource: initiatorName
ISCSIVolumeSource: initiatorName
IngressClassParametersReference: apiGroup scope namespace
IngressPortStatus: error
IngressSpec: ingressClassName
JSONSchemaProps: $ref default maximum minimum maxLength minLength maxItems minItems multipleOf maxProperties minProperties items additionalProperties additionalItems example x-kubernetes-preserve-unknown-fields x-kubernetes-list-type x-kubernetes-map-type
JobSpec: parallelism completions activeDeadlineSeconds backoffLimit backoffLimitPerIndex maxFailedIndexes manualSelector ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy
JobStatus: startTime completionTime terminating failedIndexes ready
KeyToPath: mode
LeaseCandidateSpec: pingTime renewTime
LeaseSpec: holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder
Lifecycle: stopSignal
LimitedPriorityLevelConfiguration: lendablePercent borrowingLimitPercent
flowcontrol.v1.LimitedPriorityLevelConfiguration: nominalConcurrencyShares
ListMeta: remainingItemCount
ListOptions: timeoutSeconds sendInitialEvents
LoadBalancerIngress: ipMode
LocalVolumeSource: fsType
ManagedFieldsEntry: time fieldsV1
MatchResources: matchPolicy
MetricTarget: value averageValue averageUtilization
MetricValueStatus: value averageValue averageUtilization
MutatingAdmissionPolicySpec: failurePolicy
MutatingWebhook: failurePolicy matchPolicy sideEffects timeoutSeconds reinvocationPolicy
NamedRuleWithOperations: scope
NetworkPolicyPort: protocol port endPort
NodeAllocatableResourceMapping: capacityKey allocationMultiplier
NodeFeatures: supplementalGroupsPolicy
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts userNamespaces
NodeSwapStatus: capacity
ObjectMeta: deletionTimestamp deletionGracePeriodSeconds
OwnerReference: controller blockOwnerDeletion
ParamRef: parameterNotFoundAction
PatchOptions: force
PersistentVolumeClaimSpec: storageClassName volumeMode volumeAttributesClassName
PersistentVolumeClaimStatus: currentVolumeAttributesClassName
PersistentVolumeSpec: volumeMode volumeAttributesClassName
PersistentVolumeStatus: lastPhaseTransitionTime
PodCertificateProjection: maxExpirationSeconds
PodCertificateRequestSpec: maxExpirationSeconds
PodCertificateRequestStatus: notBefore beginRefreshAt notAfter
PodDNSConfigOption: value
PodDisruptionBudgetSpec: minAvailable maxUnavailable unhealthyPodEvictionPolicy
PodFailurePolicyOnExitCodesRequirement: containerName
PodLogOptions: sinceSeconds sinceTime tailLines limitBytes stream
PodResourceClaim: resourceClaimName resourceClaimTemplateName
PodResourceClaimStatus: resourceClaimName
PodSchedulingGroup: podGroupName
PodSecurityContext: runAsUser runAsGroup runAsNonRoot supplementalGroupsPolicy fsGroup fsGroupChangePolicy seLinuxChangePolicy
PodSpec: terminationGracePeriodSeconds activeDeadlineSeconds automountServiceAccountToken shareProcessNamespace priority runtimeClassName enableServiceLinks preemptionPolicy setHostnameAsFQDN hostUsers hostnameOverride
PodStatus: startTime
PortStatus: error
Preconditions: uid resourceVersion
PriorityClass: preemptionPolicy
Probe: terminationGracePeriodSeconds
ProjectedVolumeSource: defaultMode
ReplicaSetSpec: replicas
ReplicaSetStatus: terminatingReplicas
ReplicationControllerSpec: replicas
ResourceHealth: message
ResourceSliceSpec: perDeviceNodeSelection
resource.v1.ResourceSliceSpec: nodeName allNodes
resource.v1beta2.ResourceSliceSpec: nodeName allNodes
RollingUpdateDaemonSet: maxUnavailable maxSurge
RollingUpdateDeployment: maxUnavailable maxSurge
RollingUpdateStatefulSetStrategy: partition maxUnavailable
RuleWithOperations: scope
SeccompProfile: localhostProfile
Secret: immutable
SecretEnvSource: optional
SecretKeySelector: optional
SecretProjection: optional
SecretVolumeSource: defaultMode optional
SecurityContext: privileged runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount
ServiceAccount: automountServiceAccountToken
ServiceAccountTokenProjection: expirationSeconds
ServicePort: appProtocol
ServiceReference: path port
ServiceSpec: ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution
StatefulSetSpec: replicas revisionHistoryLimit
StatefulSetStatus: collisionCount
apps.v1beta1.StatefulSetStatus: observedGeneration
StorageClass: reclaimPolicy allowVolumeExpansion volumeBindingMode
SuccessPolicyRule: succeededIndexes succeededCount
Taint: timeAdded
TokenRequest: expirationSeconds
TokenRequestSpec: expirationSeconds
Toleration: tolerationSeconds
TopologySpreadConstraint: minDomains nodeAffinityPolicy nodeTaintsPolicy
TypedLocalObjectReference: apiGroup
TypedObjectReference: apiGroup namespace
ValidatingAdmissionPolicySpec: failurePolicy
ValidatingWebhook: failurePolicy matchPolicy sideEffects timeoutSeconds
Validation: reason
ValidationRule: reason optionalOldSelf
VolumeAttachmentSource: persistentVolumeName
VolumeError: errorCode
VolumeMount: recursiveReadOnly mountPropagation
VolumeMountStatus: recursiveReadOnly
VolumeNodeResources: count
WebhookClientConfig: url
WindowsSecurityContextOptions: gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess`;

const omittedLines = `ConfigMapEnvSource: name
ConfigMapKeySelector: name
ConfigMapProjection: name
ConfigMapVolumeSource: name
LocalObjectReference: name
ObjectMeta: creationTimestamp
ReplicationControllerSpec: minReadySeconds
ScaleSpec: replicas
SecretEnvSource: name
SecretKeySelector: name
SecretProjection: name`;

type FieldsByKind = ReadonlyMap<string, readonly string[]>;

function readLines(lines: string): FieldsByKind {
  return new Map(
    lines.split('\n').map((line) => {
      const [kind = '', fields = ''] = line.split(': ');
      return [kind, fields.split(' ')];
    }),
  );
}

interface Presence {
  readonly pointers: FieldsByKind;
  readonly omitted: FieldsByKind;
}

/** io.k8s.api.apps.v1.Deployment is filed as Deployment and as apps.v1.Deployment. */
function fieldsOf(type: string, kinds: FieldsByKind): readonly string[] {
  const parts = type.split('.');
  return [...(kinds.get(parts.at(-1) ?? '') ?? []), ...(kinds.get(parts.slice(-3).join('.')) ?? [])];
}

function withPresence(type: BuiltinType, { pointers, omitted }: Presence): BuiltinType {
  const fields = new Map<string, PresentField>(type.fields);
  const mark = (names: readonly string[], marks: Partial<PresentField>) => {
    for (const name of names) {
      const field = fields.get(name);
      if (field) fields.set(name, { ...field, ...marks });
    }
  };
  mark(fieldsOf(type.name, pointers), { pointer: true });
  mark(fieldsOf(type.name, omitted), { omitZero: true });
  return { ...type, fields };
}

function createCatalogue(): BuiltinCatalogue {
  const marked = new Map<string, BuiltinType>();
  let presence: Presence | undefined;
  const markType = (name: string) => {
    presence ??= { pointers: readLines(pointerLines), omitted: readLines(omittedLines) };
    const type = withPresence(builtinTypes.get(name), presence);
    marked.set(name, type);
    return type;
  };
  return { ...builtinTypes, get: (name) => marked.get(name) ?? markType(name) };
}

/** Every built-in type, with what its protobuf form depends on. */
export const builtinProtobufTypes: BuiltinCatalogue = createCatalogue();
