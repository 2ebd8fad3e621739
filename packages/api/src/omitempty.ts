import type { FieldType, JsonValue, Omitempty } from '@tsukube/machinery';
import type { BuiltinField, BuiltinType } from './type-line.ts';

/**
 * OpenAPI schemas state neither which Go fields are pointers nor, for all fields, which have `omitempty`. These are the
 * exceptions to `byRule`. A line is a kind, optionally with its package, and its fields.
 */
const exceptions: Readonly<Record<Omitempty, string>> = {
  keep: `AllocatedDeviceStatus: shareID data
AllocationResult: allocationTimestamp
AppArmorProfile: localhostProfile
AzureDiskVolumeSource: cachingMode fsType readOnly kind
BasicDevice: nodeName allNodes bindsToNode allowMultipleAllocations
CSIDriverSpec: attachRequired podInfoOnMount storageCapacity fsGroupPolicy requiresRepublish seLinuxMount nodeAllocatableUpdatePeriodSeconds serviceAccountTokenInSecrets preventPodSchedulingIfMissing
CSIStorageCapacity: capacity maximumVolumeSize
CSIVolumeSource: readOnly fsType
CapacityRequestPolicyRange: min max step
certificates.v1beta1.CertificateSigningRequestSpec: signerName
CertificateSigningRequestSpec: expirationSeconds
ClientIPConfig: timeoutSeconds
ClusterTrustBundleProjection: name signerName optional
ConfigMap: immutable
ConfigMapEnvSource: optional
ConfigMapKeySelector: optional
ConfigMapProjection: optional
ConfigMapVolumeSource: defaultMode optional
Container: restartPolicy
autoscaling.v2beta1.ContainerResourceMetricSource: targetAverageUtilization targetAverageValue
autoscaling.v2beta1.ContainerResourceMetricStatus: currentAverageUtilization
ContainerStatus: started stopSignal
CronJobSpec: timeZone startingDeadlineSeconds suspend successfulJobsHistoryLimit failedJobsHistoryLimit
CronJobStatus: lastScheduleTime lastSuccessfulTime
apiextensions.v1beta1.CustomResourceDefinitionSpec: preserveUnknownFields
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
discovery.v1.EndpointPort: name port protocol
discovery.v1beta1.EndpointPort: name port protocol
EndpointPort: appProtocol
EphemeralContainer: restartPolicy
ExactDeviceRequest: adminAccess
ExemptPriorityLevelConfiguration: nominalConcurrencyShares lendablePercent
autoscaling.v2beta1.ExternalMetricSource: targetValue targetAverageValue
autoscaling.v2beta1.ExternalMetricStatus: currentAverageValue
FCVolumeSource: lun
FileKeySelector: optional
GlusterfsPersistentVolumeSource: endpointsNamespace
HPAScalingRules: stabilizationWindowSeconds selectPolicy policies tolerance
extensions.v1beta1.HTTPIngressPath: pathType
networking.v1beta1.HTTPIngressPath: pathType
HorizontalPodAutoscalerSpec: minReplicas targetCPUUtilizationPercentage
HorizontalPodAutoscalerStatus: observedGeneration lastScaleTime currentCPUUtilizationPercentage
HostPathVolumeSource: type
ISCSIPersistentVolumeSource: initiatorName
ISCSIVolumeSource: initiatorName
IngressClassParametersReference: apiGroup namespace
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
ListMeta: remainingItemCount
ListOptions: timeoutSeconds sendInitialEvents
LoadBalancerIngress: ipMode
LocalVolumeSource: fsType
ManagedFieldsEntry: time fieldsV1
MatchResources: matchPolicy
MetricTarget: value averageValue averageUtilization
MetricValueStatus: value averageValue averageUtilization
MutatingAdmissionPolicySpec: failurePolicy
MutatingWebhook: failurePolicy matchPolicy timeoutSeconds reinvocationPolicy
admissionregistration.v1beta1.MutatingWebhook: sideEffects
NamedRuleWithOperations: scope
NetworkPolicyPort: protocol port endPort
NodeAllocatableResourceMapping: capacityKey allocationMultiplier
NodeFeatures: supplementalGroupsPolicy
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts userNamespaces
NodeSwapStatus: capacity
ObjectMeta: deletionTimestamp deletionGracePeriodSeconds
autoscaling.v2beta1.ObjectMetricSource: averageValue
autoscaling.v2beta1.ObjectMetricStatus: averageValue
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
autoscaling.v2beta1.ResourceMetricSource: targetAverageUtilization targetAverageValue
autoscaling.v2beta1.ResourceMetricStatus: currentAverageUtilization
resource.v1.ResourceSliceSpec: nodeName allNodes
resource.v1beta2.ResourceSliceSpec: nodeName allNodes
ResourceSliceSpec: perDeviceNodeSelection
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
apps.v1beta1.StatefulSetStatus: observedGeneration
StatefulSetStatus: collisionCount
StorageClass: reclaimPolicy allowVolumeExpansion volumeBindingMode
SuccessPolicyRule: succeededIndexes succeededCount
Taint: timeAdded
TokenRequest: expirationSeconds
Toleration: tolerationSeconds
TopologySpreadConstraint: minDomains nodeAffinityPolicy nodeTaintsPolicy
TypedObjectReference: namespace
ValidatingAdmissionPolicySpec: failurePolicy
ValidatingWebhook: failurePolicy matchPolicy timeoutSeconds
admissionregistration.v1beta1.ValidatingWebhook: sideEffects
Validation: reason
ValidationRule: reason optionalOldSelf
VolumeAttachmentSource: persistentVolumeName volumeMode volumeAttributesClassName
VolumeError: errorCode
VolumeMount: recursiveReadOnly mountPropagation
VolumeMountStatus: recursiveReadOnly
VolumeNodeResources: count
WebhookClientConfig: url
WindowsSecurityContextOptions: gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess`,
  null: `AzureFilePersistentVolumeSource: secretNamespace
CapacityRequestPolicy: default
DaemonSetSpec: selector
DeploymentSpec: selector
GRPCAction: service
networking.v1.HTTPIngressPath: pathType
IngressClassParametersReference: scope
flowcontrol.v1.LimitedPriorityLevelConfiguration: nominalConcurrencyShares
admissionregistration.v1.MutatingWebhook: sideEffects
ReplicaSetSpec: selector
ScaleIOPersistentVolumeSource: secretRef
ScaleIOVolumeSource: secretRef
StatefulSetSpec: selector
TokenRequestSpec: expirationSeconds boundObjectRef
TypedLocalObjectReference: apiGroup
TypedObjectReference: apiGroup
admissionregistration.v1.ValidatingWebhook: sideEffects`,
  omit: `ConfigMapEnvSource: name
ConfigMapKeySelector: name
ConfigMapProjection: name
ConfigMapVolumeSource: name
CounterSet: counters
DeviceCounterConsumption: counters
LocalObjectReference: name
ObjectMeta: creationTimestamp
ReplicationControllerSpec: minReadySeconds
ScaleSpec: replicas
SecretEnvSource: name
SecretKeySelector: name
SecretProjection: name
ValidatingAdmissionPolicyBindingSpec: validationActions`,
  zero: `AllocatedDeviceStatus: conditions
CSINodeDriver: topologyKeys
ClusterRole: rules
ContainerImage: names
CustomResourceDefinitionStatus: conditions storedVersions
DeviceClaim: requests
EndpointSlice: endpoints ports
HorizontalPodAutoscalerStatus: currentMetrics
ProjectedVolumeSource: sources
ResourcePolicyRule: namespaces
Role: rules
TokenRequestSpec: audiences`,
};

function byRule({ type, required, default: initial }: BuiltinField): Omitempty {
  switch (type.is) {
    case 'object':
      return initial === undefined ? 'keep' : 'zero';
    case 'list':
    case 'map':
    case 'bytes':
      return required ? 'zero' : 'omit';
    default:
      return isStruct(type) || isZero(initial) ? 'zero' : 'omit';
  }
}

/** To Go's JSON encoder a struct is never empty. */
function isStruct({ is }: FieldType): boolean {
  return is === 'time' || is === 'microTime' || is === 'quantity' || is === 'intOrString' || is === 'any';
}

function isZero(value: JsonValue | undefined): boolean {
  return value === '' || value === 0 || value === false;
}

type FieldsByKind = ReadonlyMap<string, ReadonlyMap<string, Omitempty>>;

function readExceptions(): FieldsByKind {
  const kinds = new Map<string, Map<string, Omitempty>>();
  for (const [when, lines] of Object.entries(exceptions) as [Omitempty, string][]) {
    for (const line of lines.split('\n')) {
      const [kind = '', fields = ''] = line.split(': ');
      const known = kinds.get(kind) ?? new Map<string, Omitempty>();
      for (const field of fields.split(' ')) known.set(field, when);
      kinds.set(kind, known);
    }
  }
  return kinds;
}

let exceptionsByKind: FieldsByKind | undefined;

/** Adds to each field how it is written when empty. Exceptions are filed under Deployment or, where packages differ, apps.v1.Deployment. */
export function withOmitempty(type: BuiltinType): BuiltinType {
  exceptionsByKind ??= readExceptions();
  const parts = type.name.split('.');
  const ofKind = exceptionsByKind.get(parts.at(-1) ?? '');
  const ofPackage = exceptionsByKind.get(parts.slice(-3).join('.'));
  const fields = new Map<string, BuiltinField>();
  for (const [name, field] of type.fields) {
    const omitempty = ofPackage?.get(name) ?? ofKind?.get(name) ?? byRule(field);
    fields.set(name, { ...field, omitempty });
  }
  return { ...type, fields };
}
