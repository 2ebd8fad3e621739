import { BadValue } from './flag.ts';
import { suggestion } from './usage-error.ts';

/** Feature gates of kube-apiserver 1.36 that may be set to either value. */
const settable = names(`
  APIResponseCompression APIServerIdentity APIServingWithRoutine AllAlpha AllBeta AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs
  AllowUnsafeMalformedObjectDeletion AtomicFIFO AuthorizePodWebsocketUpgradeCreatePermission CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CPUManagerPolicyBetaOptions CRDObservedGenerationTracking CRIListStreaming
  CSIVolumeHealth ChangeContainerStatusOnKubeletRestart ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
  ClientsAllowCBOR ClientsAllowTLSCacheGC ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
  CloudControllerManagerWebhook ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentStatusz
  ConcurrentWatchObjectDecode ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContainerStopSignals
  ContextualLogging ControllerManagerReleaseLeaderElectionLockOnExit CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod DRAConsumableCapacity DRADeviceBindingConditions
  DRADeviceTaintRules DRADeviceTaints DRAExtendedResource DRAListTypeAttributes DRANodeAllocatableResources
  DRAPartitionableDevices DRAPrioritizedList DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization
  DRAResourcePoolStatus DRASchedulerFilterTimeout DRAWorkloadResourceClaims DeclarativeValidationBeta
  DeclarativeValidationTakeover DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
  DisableCPUQuotaWithExclusiveCPUs EnvFiles EventedPLEG ExtendWebSocketsToKubelet GangScheduling GenericWorkload
  GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HPAScaleToZero HostnameOverride
  ImageVolumeWithDigest InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling
  InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
  InPlacePodVerticalScalingInitContainers InformerResourceVersion KMSv1 KubeletCrashLoopBackOffMax
  KubeletEnsureSecretPulledImages KubeletInUserNamespace KubeletPodResourcesListUseActivePods
  KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
  ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions LoggingBetaOptions
  ManifestBasedAdmissionControlConfig MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
  MaxUnavailableStatefulSet MemoryQoS MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NativeHistograms NodeDeclaredFeatures
  NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching PLEGOnDemandRelist
  PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost
  PodLevelResourceManagers PodLevelResources PodLogsQuerySplitStreams PodReadyToStartContainersCondition
  PodTopologyLabelsAdmission PodsAPI PortForwardWebsockets PreventStaticPodAPIReferences QOSReserved
  ReduceDefaultCrashLoopBackOffDecay RelaxedServiceNameValidation ReloadKubeletClientCAFile
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus ResourceHealthStatusMessage
  RestartAllContainersOnContainerExits RotateKubeletServerCertificate RuntimeClassInImageCriApi SELinuxMount
  SchedulerAsyncAPICalls SchedulerAsyncPreemption SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction
  ServiceCIDRStatusFieldWiping ShardedListAndWatch SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet
  StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
  StatefulSetSemanticRevisionComparison StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI
  StorageVersionHash StorageVersionMigrator StrictIPCIDRValidation StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics TaintTolerationComparisonOperators
  TokenRequestServiceAccountUIDValidation TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions
  TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
  UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO UserNamespacesHostNetworkSupport VolumeLimitScaling
  WatchCacheInitializationPostStartHook WatchList WatchListClient WindowsCPUAndMemoryAffinity
  WindowsGracefulNodeShutdown WindowsHostNetwork WorkloadAwarePreemption WorkloadWithJob
`);

/** Locked to true: graduated features. */
const lockedOn = names(`
  APIServerTracing AggregatedDiscoveryRemoveBetaType AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
  AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting
  CSIServiceAccountTokenSecrets ConsistentListFromCache CustomResourceFieldSelectors DRAAdminAccess
  DeclarativeValidation DisableAllocatorDualWrite DisableNodeKubeProxyVersion DynamicResourceAllocation ExecProbeTimeout
  ExternalServiceAccountTokenSigner ImageMaximumGCAge ImageVolume InOrderInformers InPlacePodVerticalScaling
  JobBackoffLimitPerIndex JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
  KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletTracing
  LogarithmicScaleDown MatchLabelKeysInPodAffinity MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
  NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap OrderedNamespaceDeletion
  PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking PodSchedulingReadiness
  PreferSameTrafficDistribution ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
  RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName
  SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerQueueingHints SeparateTaintEvictionController
  ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
  ServiceAccountTokenPodNodeInfo SidecarContainers StreamingCollectionEncodingToJSON
  StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration SupplementalGroupsPolicy SystemdWatchdog
  TopologyManagerPolicyOptions UserNamespacesSupport VolumeAttributesClass WinDSR WinOverlay
`);

/** Locked to false: removed features. */
const lockedOff = names(`
  AllowOverwriteTerminationGracePeriodSeconds GitRepoVolumeDriver SeparateCacheWatchRPC
`);

export type FeatureGates = Readonly<Record<string, boolean>>;

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Parses `[kube:]Name=true|false,…`, with kube-apiserver's errors. A repeated flag adds to the earlier ones. */
export function parseFeatureGates(texts: readonly string[]): FeatureGates {
  const items = texts.flatMap((text) => text.split(',')).flatMap((item) => item.trim() || []);
  return Object.fromEntries(items.map(featureGate));
}

function featureGate(item: string): [string, boolean] {
  const [, component = 'kube', name = '', value] = /^(?:([^:=]*):)?([^=]*)(?:=(.*))?$/s.exec(item) ?? [];
  if (component !== 'kube') throw new BadValue(`names the unknown component "${component}"`);
  if (value === undefined) throw new BadValue(`missing bool value for ${name}`);
  if (!/^(1|t|T|true|TRUE|True|0|f|F|false|FALSE|False)$/.test(value))
    throw new BadValue(`invalid value of ${name}=${value}: it is neither true nor false`);
  return [name, /^[1tT]/.test(value)];
}

export function featureGatesComplaint(gates: FeatureGates): string | undefined {
  for (const [name, value] of Object.entries(gates)) {
    const complaint = gateComplaint(name, value);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

function gateComplaint(name: string, value: boolean): string | undefined {
  if (settable.has(name)) return undefined;
  if (lockedOn.has(name)) return value ? undefined : locked(name, value);
  if (lockedOff.has(name)) return value ? locked(name, value) : undefined;
  const near = suggestion(name, [...settable, ...lockedOn, ...lockedOff]);
  return `unrecognized feature gate: ${name}${near === undefined ? '' : `, did you mean ${near}?`}`;
}

function locked(name: string, value: boolean): string {
  return `cannot set feature gate ${name} to ${value}, feature is locked to ${!value}`;
}
