import { defaultAuthorizationModes } from './authorization-flags.ts';
import { integer, list } from './flag-types.ts';
import { suggestion, UsageError } from './usage-error.ts';

const group = 'Admission';

/** Admission plugins of kube-apiserver 1.36. */
const knownPlugins = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'ClusterTrustBundleAttest',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'JobValidation',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NamespaceLifecycle',
  'NodeDeclaredFeatureValidator',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'PodGroupProtection',
  'PodGroupWorkloadExists',
  'PodNodeSelector',
  'PodResizeValidator',
  'PodSecurity',
  'PodTolerationRestriction',
  'PodTopologyLabels',
  'Priority',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
] as const;

const tolerationSeconds = (condition: string) =>
  integer({
    group,
    fallback: 300,
    min: 0,
    placeholder: 'SECONDS',
    help: `tolerationSeconds of the ${condition}:NoExecute toleration that pods get by default.`,
  });

const plugins = (help: string) => list({ group, placeholder: 'PLUGIN,…', help, check: pluginsComplaint });

export const admissionFlags = {
  enableAdmissionPlugins: plugins(
    'Admission plugins to enable in addition to the default ones. All implemented plugins are enabled by default, NodeRestriction with the Node authorizer.',
  ),
  disableAdmissionPlugins: plugins('Default admission plugins to disable.'),
  admissionControl: plugins('Admission plugins to enable instead of the default ones. Deprecated.'),
  defaultNotReadyTolerationSeconds: tolerationSeconds('node.kubernetes.io/not-ready'),
  defaultUnreachableTolerationSeconds: tolerationSeconds('node.kubernetes.io/unreachable'),
};

function pluginsComplaint(names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !knownPlugins.some((known) => known === name));
  if (unknown === undefined) return undefined;
  const near = suggestion(unknown, knownPlugins);
  return `plugin "${unknown}" is unknown${near === undefined ? '' : `, did you mean ${near}?`}`;
}

type Chosen = Partial<
  Readonly<Record<'enableAdmissionPlugins' | 'disableAdmissionPlugins' | 'admissionControl', readonly string[]>>
>;

/** Rejects contradictory plugin lists, with kube-apiserver's messages. */
export function checkAdmission({
  enableAdmissionPlugins = [],
  disableAdmissionPlugins = [],
  admissionControl = [],
}: Chosen): void {
  const both = enableAdmissionPlugins.filter((name) => disableAdmissionPlugins.includes(name));
  if (both.length > 0)
    throw new UsageError(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  if (admissionControl.length > 0 && enableAdmissionPlugins.length + disableAdmissionPlugins.length > 0)
    throw new UsageError('admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive');
}

/**
 * Whether a plugin runs. All run by default, but NodeRestriction only with the Node authorizer. A file of authorizers is assumed
 * to include it.
 */
export function runsPlugin(options: Chosen & Authorizers, name: string): boolean {
  const { enableAdmissionPlugins = [], disableAdmissionPlugins = [], admissionControl = [] } = options;
  if (admissionControl.length > 0) return admissionControl.includes(name);
  if (enableAdmissionPlugins.includes(name)) return true;
  return !disableAdmissionPlugins.includes(name) && (name !== 'NodeRestriction' || authorizesNodes(options));
}

interface Authorizers {
  readonly authorizationMode?: readonly string[];
  readonly authorizationConfig?: string;
}

function authorizesNodes({ authorizationMode = [], authorizationConfig }: Authorizers): boolean {
  const modes = authorizationMode.length > 0 ? authorizationMode : defaultAuthorizationModes;
  return authorizationConfig !== undefined || modes.some((mode) => mode === 'Node');
}
