import { isObject, type JsonObject, type JsonValue, objectIn, unifiedDiff } from '@tsukube/machinery';

/**
 * Internal Go types of pods, nodes and volumes. kube-apiserver prints internal objects in error messages: field names and
 * order differ from JSON, and zero values are shown. One line per type, fields as NAME=JSON:TYPE. Types: s string (default),
 * n number, b boolean, q quantity, i IntOrString, `map` and `raw` unchanged; `*` pointer, `[]` slice, `@` embedded type.
 */
const lines = `PodSpec: Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy TerminationGracePeriodSeconds:*n ActiveDeadlineSeconds:*n DNSPolicy NodeSelector:map ServiceAccountName AutomountServiceAccountToken:*b NodeName SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname Subdomain SetHostnameAsFQDN:*b Affinity:*Affinity SchedulerName Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName Priority:*n PreemptionPolicy:*s DNSConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*s Overhead:map EnableServiceLinks:*b TopologySpreadConstraints:[]TopologySpreadConstraint OS:*PodOS SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*s SchedulingGroup:*PodSchedulingGroup
Volume: Name @VolumeSource
VolumeSource: HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource ISCSI:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS:*StorageOSVolumeSource CSI:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource
HostPathVolumeSource: Path Type:*s
EmptyDirVolumeSource: Medium SizeLimit:*q
GCEPersistentDiskVolumeSource: PDName FSType Partition:n ReadOnly:b
AWSElasticBlockStoreVolumeSource: VolumeID FSType Partition:n ReadOnly:b
GitRepoVolumeSource: Repository Revision Directory
SecretVolumeSource: SecretName Items:[]KeyToPath DefaultMode:*n Optional:*b
KeyToPath: Key Path Mode:*n
NFSVolumeSource: Server Path ReadOnly:b
ISCSIVolumeSource: TargetPortal IQN Lun:n ISCSIInterface FSType ReadOnly:b Portals:[]s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName:*s
LocalObjectReference: Name
GlusterfsVolumeSource: EndpointsName=endpoints Path ReadOnly:b
PersistentVolumeClaimVolumeSource: ClaimName ReadOnly:b
RBDVolumeSource: CephMonitors=monitors:[]s RBDImage=image FSType RBDPool=pool RadosUser=user Keyring SecretRef:*LocalObjectReference ReadOnly:b
QuobyteVolumeSource: Registry Volume ReadOnly:b User Group Tenant
FlexVolumeSource: Driver FSType SecretRef:*LocalObjectReference ReadOnly:b Options:map
CinderVolumeSource: VolumeID FSType ReadOnly:b SecretRef:*LocalObjectReference
CephFSVolumeSource: Monitors:[]s Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:b
FlockerVolumeSource: DatasetName DatasetUUID
DownwardAPIVolumeSource: Items:[]DownwardAPIVolumeFile DefaultMode:*n
DownwardAPIVolumeFile: Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*n
ObjectFieldSelector: APIVersion FieldPath
ResourceFieldSelector: ContainerName Resource Divisor:q
FCVolumeSource: TargetWWNs:[]s Lun:*n FSType ReadOnly:b WWIDs:[]s
AzureFileVolumeSource: SecretName ShareName ReadOnly:b
ConfigMapVolumeSource: @LocalObjectReference Items:[]KeyToPath DefaultMode:*n Optional:*b
VsphereVirtualDiskVolumeSource: VolumePath FSType StoragePolicyName StoragePolicyID
AzureDiskVolumeSource: DiskName DataDiskURI=diskURI CachingMode:*s FSType:*s ReadOnly:*b Kind:*s
PhotonPersistentDiskVolumeSource: PdID FSType
ProjectedVolumeSource: Sources:[]VolumeProjection DefaultMode:*n
VolumeProjection: Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection
SecretProjection: @LocalObjectReference Items:[]KeyToPath Optional:*b
DownwardAPIProjection: Items:[]DownwardAPIVolumeFile
ConfigMapProjection: @LocalObjectReference Items:[]KeyToPath Optional:*b
ServiceAccountTokenProjection: Audience ExpirationSeconds:n Path
ClusterTrustBundleProjection: Name:*s SignerName:*s LabelSelector:*raw Optional:*b Path
PodCertificateProjection: SignerName KeyType MaxExpirationSeconds:*n CredentialBundlePath KeyPath CertificateChainPath UserAnnotations:map
PortworxVolumeSource: VolumeID FSType ReadOnly:b
ScaleIOVolumeSource: Gateway System SecretRef:*LocalObjectReference SSLEnabled:b ProtectionDomain StoragePool StorageMode VolumeName FSType ReadOnly:b
StorageOSVolumeSource: VolumeName VolumeNamespace FSType ReadOnly:b SecretRef:*LocalObjectReference
CSIVolumeSource: Driver ReadOnly:*b FSType:*s VolumeAttributes:map NodePublishSecretRef:*LocalObjectReference
EphemeralVolumeSource: VolumeClaimTemplate:*PersistentVolumeClaimTemplate
PersistentVolumeClaimTemplate: @metadata Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimSpec: AccessModes:[]s Selector:*raw Resources:VolumeResourceRequirements VolumeName StorageClassName:*s VolumeMode:*s DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*s
PersistentVolumeClaim: @metadata Spec:PersistentVolumeClaimSpec Status:PersistentVolumeClaimStatus
PersistentVolumeClaimStatus: Phase AccessModes:[]s Capacity:map Conditions:[]raw AllocatedResources:map AllocatedResourceStatuses:map CurrentVolumeAttributesClassName:*s ModifyVolumeStatus:*ModifyVolumeStatus
ModifyVolumeStatus: TargetVolumeAttributesClassName Status
Taint: Key Value Effect TimeAdded:*s
OwnerReference: APIVersion Kind Name UID Controller:*b BlockOwnerDeletion:*b
NodeConfigSource: ConfigMap:*ConfigMapNodeConfigSource
ConfigMapNodeConfigSource: Namespace Name UID ResourceVersion KubeletConfigKey
VolumeResourceRequirements: Limits:map Requests:map
TypedLocalObjectReference: APIGroup:*s Kind Name
TypedObjectReference: APIGroup:*s Kind Name Namespace:*s
ImageVolumeSource: Reference PullPolicy
Container: Name Image Command:[]s Args:[]s WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b
ContainerPort: Name HostPort:n ContainerPort:n Protocol HostIP
EnvFromSource: Prefix ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
ConfigMapEnvSource: @LocalObjectReference Optional:*b
SecretEnvSource: @LocalObjectReference Optional:*b
EnvVar: Name Value ValueFrom:*EnvVarSource
EnvVarSource: FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
ConfigMapKeySelector: @LocalObjectReference Key Optional:*b
SecretKeySelector: @LocalObjectReference Key Optional:*b
FileKeySelector: VolumeName Path Key Optional:*b
ResourceRequirements: Limits:map Requests:map Claims:[]ResourceClaim
ResourceClaim: Name Request
ContainerResizePolicy: ResourceName RestartPolicy
ContainerRestartRule: Action ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: Operator Values:[]n
VolumeMount: Name ReadOnly:b RecursiveReadOnly:*s MountPath SubPath MountPropagation:*s SubPathExpr
VolumeDevice: Name DevicePath
Probe: @ProbeHandler InitialDelaySeconds:n TimeoutSeconds:n PeriodSeconds:n SuccessThreshold:n FailureThreshold:n TerminationGracePeriodSeconds:*n
ProbeHandler: Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction
ExecAction: Command:[]s
HTTPGetAction: Path Port:i Host Scheme HTTPHeaders:[]HTTPHeader
HTTPHeader: Name Value
TCPSocketAction: Port:i Host
GRPCAction: Port:n Service:*s
Lifecycle: PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*s
LifecycleHandler: Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction
SleepAction: Seconds:n
SecurityContext: Capabilities:*Capabilities Privileged:*b SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*n RunAsGroup:*n RunAsNonRoot:*b ReadOnlyRootFilesystem:*b AllowPrivilegeEscalation:*b ProcMount:*s SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
Capabilities: Add:[]s Drop:[]s
SELinuxOptions: User Role Type Level
WindowsSecurityContextOptions: GMSACredentialSpecName:*s GMSACredentialSpec:*s RunAsUserName:*s HostProcess:*b
SeccompProfile: Type LocalhostProfile:*s
AppArmorProfile: Type LocalhostProfile:*s
EphemeralContainer: @EphemeralContainerCommon TargetContainerName
EphemeralContainerCommon: Name Image Command:[]s Args:[]s WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*s RestartPolicyRules:[]ContainerRestartRule VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY:b
PodSecurityContext: HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:*b HostUsers:*b SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*n RunAsGroup:*n RunAsNonRoot:*b SupplementalGroups:[]n SupplementalGroupsPolicy:*s FSGroup:*n FSGroupChangePolicy:*s Sysctls:[]Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*s
Sysctl: Name Value
Affinity: NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
PersistentVolumeSource: GCEPersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS:*NFSVolumeSource RBD:*RBDPersistentVolumeSource Quobyte:*QuobyteVolumeSource ISCSI:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource Cinder:*CinderPersistentVolumeSource CephFS:*CephFSPersistentVolumeSource FC:*FCVolumeSource Flocker:*FlockerVolumeSource AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource Local:*LocalVolumeSource StorageOS:*StorageOSPersistentVolumeSource CSI:*CSIPersistentVolumeSource
SecretReference: Name Namespace
GlusterfsPersistentVolumeSource: EndpointsName=endpoints Path ReadOnly:b EndpointsNamespace:*s
RBDPersistentVolumeSource: CephMonitors=monitors:[]s RBDImage=image FSType RBDPool=pool RadosUser=user Keyring SecretRef:*SecretReference ReadOnly:b
ISCSIPersistentVolumeSource: TargetPortal IQN Lun:n ISCSIInterface FSType ReadOnly:b Portals:[]s DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*SecretReference InitiatorName:*s
FlexPersistentVolumeSource: Driver FSType SecretRef:*SecretReference ReadOnly:b Options:map
CinderPersistentVolumeSource: VolumeID FSType ReadOnly:b SecretRef:*SecretReference
CephFSPersistentVolumeSource: Monitors:[]s Path User SecretFile SecretRef:*SecretReference ReadOnly:b
AzureFilePersistentVolumeSource: SecretName ShareName ReadOnly:b SecretNamespace:*s
ScaleIOPersistentVolumeSource: Gateway System SecretRef:*SecretReference SSLEnabled:b ProtectionDomain StoragePool StorageMode VolumeName FSType ReadOnly:b
LocalVolumeSource: Path FSType:*s
StorageOSPersistentVolumeSource: VolumeName VolumeNamespace FSType ReadOnly:b SecretRef:*ObjectReference
ObjectReference: Kind Namespace Name UID APIVersion ResourceVersion FieldPath
CSIPersistentVolumeSource: Driver VolumeHandle ReadOnly:b FSType VolumeAttributes:map ControllerPublishSecretRef:*SecretReference NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference NodeExpandSecretRef:*SecretReference
VolumeNodeAffinity: Required:*NodeSelector
NodeAffinity: RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeSelector: NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorTerm: MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSelectorRequirement: Key Operator Values:[]s
PreferredSchedulingTerm: Weight:n Preference:NodeSelectorTerm
PodAffinity: RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm: LabelSelector:*raw Namespaces:[]s TopologyKey NamespaceSelector:*raw MatchLabelKeys:[]s MismatchLabelKeys:[]s
WeightedPodAffinityTerm: Weight:n PodAffinityTerm:PodAffinityTerm
PodAntiAffinity: RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
Toleration: Key Operator Value Effect TolerationSeconds:*n
HostAlias: IP Hostnames:[]s
PodDNSConfig: Nameservers:[]s Searches:[]s Options:[]PodDNSConfigOption
PodDNSConfigOption: Name Value:*s
PodReadinessGate: ConditionType
TopologySpreadConstraint: MaxSkew:n TopologyKey WhenUnsatisfiable LabelSelector:*raw MinDomains:*n NodeAffinityPolicy:*s NodeTaintsPolicy:*s MatchLabelKeys:[]s
PodOS: Name
PodSchedulingGate: Name
PodResourceClaim: Name ResourceClaimName:*s ResourceClaimTemplateName:*s
PodSchedulingGroup: PodGroupName:*s`;

interface InternalField {
  readonly name: string;
  /** The JSON name in lower case. */
  readonly key: string;
  readonly type: string;
}

let types: ReadonlyMap<string, readonly InternalField[]> | undefined;

function internalFields(type: string): readonly InternalField[] {
  types ??= readTypes();
  return types.get(type) ?? [];
}

function readTypes(): ReadonlyMap<string, readonly InternalField[]> {
  const read = new Map<string, readonly InternalField[]>();
  for (const line of lines.split('\n')) {
    const [type = '', fields = ''] = line.split(': ');
    read.set(type, fields.split(' ').map(readField));
  }
  return read;
}

function readField(text: string): InternalField {
  const [names = '', type = 's'] = text.split(':');
  const [name = '', key = name] = names.split('=');
  return { name, key: key.toLowerCase(), type };
}

/** A value in the form of the internal Go type, as error messages print it. */
export function internalForm(value: JsonObject, type: string): JsonObject {
  const keys = new Map(Object.keys(value).map((key) => [key.toLowerCase(), key]));
  const form: JsonObject = {};
  for (const { name, key, type: fieldType } of internalFields(type)) {
    if (name === '@metadata') Object.assign(form, value.metadata);
    else if (name.startsWith('@')) Object.assign(form, internalForm(value, name.slice(1)));
    else form[name] = formOf(value[keys.get(key) ?? ''], fieldType);
  }
  return form;
}

const zeros: Readonly<Record<string, JsonValue>> = { s: '', n: 0, b: false, q: '0', i: 0, map: null, raw: null };

function formOf(value: JsonValue | undefined, type: string): JsonValue {
  if (type.startsWith('*')) return value === undefined ? null : formOf(value, type.slice(1));
  if (type.startsWith('[]'))
    return Array.isArray(value) && value.length > 0 ? value.map((item) => formOf(item, type.slice(2))) : null;
  const zero = zeros[type];
  if (zero !== undefined) return value ?? zero;
  return internalForm(isObject(value) ? value : {}, type);
}

/** Above this no diff is shown: the time to compute it is quadratic in the number of lines. */
const maxLines = 5_000;

/** A unified diff of two pod specs for error messages. */
export function podSpecDiff(old: JsonObject, now: JsonObject): string {
  return diff(internalPodSpec(old), internalPodSpec(now));
}

/** A pod spec in the form of the internal Go type, as error messages print it. */
export function internalPodSpec(spec: JsonObject): JsonObject {
  return internalForm(withHostFields(spec), 'PodSpec');
}

export function containerDiff(old: JsonObject, now: JsonObject): string {
  return internalDiff(old, now, 'EphemeralContainer');
}

/** A unified diff of two values of an internal Go type. */
export function internalDiff(old: JsonObject, now: JsonObject, type: string): string {
  return diff(internalForm(old, type), internalForm(now, type));
}

function diff(old: JsonValue, now: JsonValue): string {
  const before = `${indented(old, '')}\n`.split('\n').slice(0, -1);
  const after = `${indented(now, '')}\n`.split('\n').slice(0, -1);
  return before.length > maxLines || after.length > maxLines ? '' : unifiedDiff(before, after);
}

const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

/** In the internal type the host namespaces are fields of the security context. */
function withHostFields(spec: JsonObject): JsonObject {
  const context: JsonObject = { ...objectIn(spec, 'securityContext') };
  for (const field of hostFields) if (spec[field] !== undefined) context[field] = spec[field];
  return { ...spec, securityContext: context };
}

/** Go's `json.MarshalIndent` with one space per level and HTML escaping. */
function indented(value: JsonValue, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value !== 'object') return String(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + indented(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${quoted(key)}: ${indented(item, inner)}`).join(',\n')}\n${indent}}`;
}

const escapes = /[<>&\u2028\u2029]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replace(escapes, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
