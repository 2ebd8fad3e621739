import { type CheckedPod, type CheckPod, unlessUserNamespace, unlessWindows, type Violation } from './check.ts';
import {
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndLifecycle,
  restrictedVolumes,
  windowsHostProcess,
} from './host-checks.ts';
import { type LevelVersion, minorOf } from './policy.ts';
import {
  allowPrivilegeEscalation,
  baselineCapabilities,
  privileged,
  procMount,
  restrictedCapabilities,
  runAsNonRoot,
  runAsUser,
} from './privilege-checks.ts';
import {
  appArmorProfile,
  requiredSeccompProfile,
  seccompAnnotations,
  seccompProfile,
  seLinuxOptions,
  sysctls,
} from './profile-checks.ts';

interface Check {
  readonly id: string;
  /** By the minor version from which on they apply. */
  readonly versions: Readonly<Record<number, CheckPod>>;
  /** A baseline check that the restricted level replaces by this one. */
  readonly overrides?: string;
}

const sysctls27 = ['net.ipv4.ip_local_reserved_ports'];
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctls32 = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** In the order of their ids, like `restrictedChecks`: violations are reported in this order. */
const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', versions: { 0: appArmorProfile } },
  { id: 'capabilities_baseline', versions: { 0: baselineCapabilities } },
  { id: 'hostNamespaces', versions: { 0: hostNamespaces } },
  { id: 'hostPathVolumes', versions: { 0: hostPathVolumes } },
  { id: 'hostPorts', versions: { 0: hostPorts } },
  { id: 'hostProbesAndHostLifecycle', versions: { 34: hostProbesAndLifecycle } },
  { id: 'privileged', versions: { 0: privileged } },
  { id: 'procMount', versions: { 0: procMount, 35: unlessUserNamespace(procMount) } },
  { id: 'seLinuxOptions', versions: { 0: seLinuxOptions(), 31: seLinuxOptions(['container_engine_t']) } },
  { id: 'seccompProfile_baseline', versions: { 0: seccompAnnotations, 19: seccompProfile } },
  { id: 'sysctls', versions: { 0: sysctls(), 27: sysctls(sysctls27), 29: sysctls(sysctls29), 32: sysctls(sysctls32) } },
  { id: 'windowsHostProcess', versions: { 0: windowsHostProcess } },
];

const restrictedChecks: readonly Check[] = [
  { id: 'allowPrivilegeEscalation', versions: { 8: allowPrivilegeEscalation, 25: unlessWindows(allowPrivilegeEscalation) } },
  {
    id: 'capabilities_restricted',
    versions: { 22: restrictedCapabilities, 25: unlessWindows(restrictedCapabilities) },
    overrides: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', versions: { 35: procMount }, overrides: 'procMount' },
  { id: 'restrictedVolumes', versions: { 0: restrictedVolumes }, overrides: 'hostPathVolumes' },
  { id: 'runAsNonRoot', versions: { 0: runAsNonRoot, 35: unlessUserNamespace(runAsNonRoot) } },
  { id: 'runAsUser', versions: { 23: runAsUser, 35: unlessUserNamespace(runAsUser) } },
  {
    id: 'seccompProfile_restricted',
    versions: { 19: requiredSeccompProfile, 25: unlessWindows(requiredSeccompProfile) },
    overrides: 'seccompProfile_baseline',
  },
];

const newestChange = Math.max(
  ...[...baselineChecks, ...restrictedChecks].flatMap(({ versions }) => Object.keys(versions).map(Number)),
);

/** The checks of a level in a minor version. */
function checksOf(level: 'baseline' | 'restricted', minor: number): readonly CheckPod[] {
  if (level === 'baseline') return baselineChecks.flatMap((check) => applicable(check, minor));
  const own = restrictedChecks.filter((check) => applicable(check, minor).length > 0);
  const overridden = new Set(own.map(({ overrides }) => overrides));
  const inherited = baselineChecks.filter(({ id }) => !overridden.has(id));
  return [...inherited, ...own].flatMap((check) => applicable(check, minor));
}

function applicable({ versions }: Check, minor: number): readonly CheckPod[] {
  const since = Math.max(
    ...Object.keys(versions)
      .map(Number)
      .filter((from) => from <= minor),
  );
  return versions[since] ? [versions[since]] : [];
}

/** By minor version, up to the newest with a change. */
const minors = Array.from({ length: newestChange + 1 }, (_, minor) => minor);
const checks = {
  baseline: minors.map((minor) => checksOf('baseline', minor)),
  restricted: minors.map((minor) => checksOf('restricted', minor)),
};

/** Empty if the pod is allowed. */
export function violationsOf(pod: CheckedPod, { level, version }: LevelVersion): readonly Violation[] {
  if (level === 'privileged') return [];
  const applied = checks[level][Math.min(minorOf(version), newestChange)] ?? [];
  return applied.map((check) => check(pod)).filter((violation) => violation !== undefined);
}

/** `host namespaces, privileged` */
export function reasonsText(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}

/** `host namespaces (hostPID=true), privileged (container "a" …)` */
export function detailsText(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');
}
