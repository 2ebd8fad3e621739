import { goQuote, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import {
  type CheckedPod,
  type CheckPod,
  containersFailing,
  containersText,
  counted,
  distinct,
  inQuotes,
  objectNames,
  plural,
  settersText,
  type Violation,
} from './check.ts';

const profileTypes = ['RuntimeDefault', 'Localhost'];

/** The places that set a profile with a forbidden type, and the types. */
interface ForbiddenProfiles {
  readonly setters: string;
  readonly types: readonly string[];
}

function forbiddenProfiles(pod: CheckedPod, field: string): ForbiddenProfiles {
  const types: string[] = [];
  const isForbidden = (context: JsonObject | undefined) => {
    const profile = objectIn(context, field);
    const type = textIn(profile, 'type');
    if (!profile || profileTypes.includes(type)) return false;
    types.push(type);
    return true;
  };
  const ofPod = isForbidden(pod.securityContext);
  return { setters: settersText(ofPod, containersFailing(pod, isForbidden)), types: distinct(types) };
}

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

export const appArmorProfile: CheckPod = (pod) => {
  const { setters, types } = forbiddenProfiles(pod, 'appArmorProfile');
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(appArmorPrefix) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort();
  const places = [setters, annotations.length > 0 ? plural('annotation', annotations.length) : ''].filter(Boolean);
  if (places.length === 0) return undefined;
  const values = [...types, ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${places.join(' and ')} must not set AppArmor profile type to ${inQuotes(values)}`,
  };
};

function isAllowedAppArmor(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
}

export const seccompProfile: CheckPod = (pod) => forbiddenSeccomp(pod);

/** Every container needs a profile, of its own or of the pod. */
export const requiredSeccompProfile: CheckPod = (pod) => {
  const forbidden = forbiddenSeccomp(pod);
  if (forbidden || objectIn(pod.securityContext, 'seccompProfile')) return forbidden;
  const missing = containersFailing(pod, (context) => !objectIn(context, 'seccompProfile'));
  if (missing.length === 0) return undefined;
  const detail = `pod or ${containersText(missing)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
};

function forbiddenSeccomp(pod: CheckedPod): Violation | undefined {
  const { setters, types } = forbiddenProfiles(pod, 'seccompProfile');
  if (setters === '') return undefined;
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${inQuotes(types)}`,
  };
}

/** Before 1.19, seccomp profiles were annotations. */
export const seccompAnnotations: CheckPod = ({ annotations, containers }) => {
  const keys = ['seccomp.security.alpha.kubernetes.io/pod'];
  for (const name of objectNames(containers)) keys.push(`container.seccomp.security.alpha.kubernetes.io/${name}`);
  const set = keys.filter((key) => Object.hasOwn(annotations, key)).map((key) => [key, annotations[key] ?? ''] as const);
  const bad = set.filter(([, profile]) => !isAllowedSeccomp(profile));
  if (bad.length === 0) return undefined;
  const forbidden = distinct(bad.map(([key, profile]) => `${key}=${goQuote(profile)}`));
  const detail = `forbidden ${plural('annotation', forbidden.length)} ${forbidden.join(', ')}`;
  return { reason: 'seccompProfile', detail };
};

function isAllowedSeccomp(profile: string): boolean {
  return profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');
}

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t'];

/** User and role may not be set, and only some types. */
export function seLinuxOptions(moreTypes: readonly string[] = []): CheckPod {
  const allowed = new Set([...seLinuxTypes, ...moreTypes]);
  return (pod) => {
    const found: JsonObject[] = [];
    const isForbidden = (context: JsonObject | undefined) => {
      const options = objectIn(context, 'seLinuxOptions');
      if (!options || (allowed.has(textIn(options, 'type')) && !textIn(options, 'user') && !textIn(options, 'role')))
        return false;
      found.push(options);
      return true;
    };
    const ofPod = isForbidden(pod.securityContext);
    const setters = settersText(ofPod, containersFailing(pod, isForbidden));
    if (setters === '') return undefined;
    const detail = `${setters} set forbidden securityContext.seLinuxOptions: ${seLinuxProblems(found, allowed)}`;
    return { reason: 'seLinuxOptions', detail };
  };
}

function seLinuxProblems(found: readonly JsonObject[], allowed: ReadonlySet<string>): string {
  const types = distinct(found.map((options) => textIn(options, 'type')).filter((type) => !allowed.has(type)));
  const set = ['user', 'role'].filter((field) => found.some((options) => textIn(options, field) !== ''));
  return [...(types.length > 0 ? [counted('type', types)] : []), ...set.map((field) => `${field} may not be set`)].join('; ');
}

const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];

/** Sysctls that affect no other pods. */
export function sysctls(moreSafe: readonly string[] = []): CheckPod {
  const safe = new Set([...safeSysctls, ...moreSafe]);
  return ({ securityContext }) => {
    const forbidden = objectNames(objectsIn(securityContext, 'sysctls')).filter((name) => !safe.has(name));
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };
}
