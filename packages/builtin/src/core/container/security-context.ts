import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  type JsonValue,
  listIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { inclusiveRange, report, validateDescendingPath, validateEnum } from '../../common/field-validation.ts';
import { internalForm } from '../../common/internal-types.ts';

const maxId = 2 ** 31 - 1;

export function validateContainerSecurity(container: JsonObject, hostUsers: boolean, at: FieldPath, errors: FieldErrors): void {
  const context = objectIn(container, 'securityContext');
  if (!context) return;
  validateId(context, 'runAsUser', at, errors);
  validateId(context, 'runAsGroup', at, errors);
  validateProcMount(context, hostUsers, at.child('procMount'), errors);
  validateSeccomp(context, at.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(context, at, errors);
  validateWindowsOptions(context, at.child('windowsOptions'), errors);
  validateAppArmor(context, at.child('appArmorProfile'), errors);
}

export function validatePodSecurity(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const context = objectIn(spec, 'securityContext');
  if (!context) return;
  for (const field of ['fsGroup', 'runAsUser', 'runAsGroup']) validateId(context, field, at, errors);
  for (const [i, group] of listIn(context, 'supplementalGroups').entries())
    if (!isId(group)) errors.invalid(at.child('supplementalGroups').index(i), group, inclusiveRange(0, maxId));
  if (spec.shareProcessNamespace === true && spec.hostPID === true)
    errors.invalid(at.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  validateSysctls(context, spec, at.child('sysctls'), errors);
  validateEnumField(context, 'fsGroupChangePolicy', ['Always', 'OnRootMismatch'], at, errors);
  validateSeccomp(context, at.child('seccompProfile'), errors);
  validateWindowsOptions(context, at.child('windowsOptions'), errors);
  validateAppArmor(context, at.child('appArmorProfile'), errors);
  validateEnumField(context, 'supplementalGroupsPolicy', ['Merge', 'Strict'], at, errors);
  validateEnumField(context, 'seLinuxChangePolicy', ['Recursive'], at, errors);
}

function validateEnumField(
  context: JsonObject,
  field: string,
  supported: readonly string[],
  at: FieldPath,
  errors: FieldErrors,
): void {
  validateEnum(context[field], supported, at.child(field), errors);
}

function isId(value: JsonValue): boolean {
  const id = Number(value);
  return id >= 0 && id <= maxId;
}

function validateId(context: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const id = context[field];
  if (id !== undefined && !isId(id)) errors.invalid(at.child(field), id, inclusiveRange(0, maxId));
}

function validateProcMount(context: JsonObject, hostUsers: boolean, at: FieldPath, errors: FieldErrors): void {
  const { procMount } = context;
  if (procMount === undefined) return;
  if (procMount !== 'Default' && procMount !== 'Unmasked') errors.notSupported(at, procMount, ['Default', 'Unmasked']);
  if (hostUsers && procMount === 'Unmasked') errors.invalid(at, procMount, '`hostUsers` must be false to use `Unmasked`');
}

function validateNoEscalation(context: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const shown = internalForm(context, 'SecurityContext');
  if (context.privileged === true)
    errors.invalid(at, shown, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  for (const capability of textsIn(objectIn(context, 'capabilities'), 'add')) {
    if (capability === 'CAP_SYS_ADMIN')
      errors.invalid(at, shown, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
}

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(context: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const profile = objectIn(context, 'seccompProfile');
  if (!profile) return;
  const type = textIn(profile, 'type');
  if (type === '') errors.required(at.child('type'), 'type is required when seccompProfile is set');
  else if (!profileTypes.includes(type)) errors.notSupported(at.child('type'), type, profileTypes);
  const local = at.child('localhostProfile');
  if (type !== 'Localhost') {
    if (profile.localhostProfile !== undefined)
      errors.invalid(local, internalForm(profile, 'SeccompProfile'), 'can only be set when seccomp type is Localhost');
  } else if (profile.localhostProfile === undefined) errors.required(local, 'must be set when seccomp type is Localhost');
  else validateDescendingPath(textIn(profile, 'localhostProfile'), local, errors);
}

const maxProfileLength = 4_095;

function validateAppArmor(context: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const profile = objectIn(context, 'appArmorProfile');
  if (!profile) return;
  const type = textIn(profile, 'type');
  if (type === 'Localhost') validateLocalProfile(textIn(profile, 'localhostProfile'), at.child('localhostProfile'), errors);
  else if (type === '') errors.required(at.child('type'), 'type is required when appArmorProfile is set');
  else if (!profileTypes.includes(type)) errors.notSupported(at.child('type'), type, profileTypes);
  else if (profile.localhostProfile !== undefined)
    errors.invalid(at.child('localhostProfile'), profile.localhostProfile, 'can only be set when AppArmor type is Localhost');
}

function validateLocalProfile(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name.trim() !== name) errors.invalid(at, name, 'must not be padded with whitespace');
  else if (name === '') errors.required(at, 'must be set when AppArmor type is Localhost');
  if (name.length > maxProfileLength) errors.tooLong(at, maxProfileLength);
}

const sysctlSegment = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const sysctl = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const sysctlPattern = new RegExp(sysctl);
const maxSysctlLength = 253;

function validateSysctls(context: JsonObject, spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, entry] of objectsIn(context, 'sysctls').entries()) {
    const name = textIn(entry, 'name');
    const here = at.index(i).child('name');
    if (name === '') errors.required(here);
    else if (name.length > maxSysctlLength || !sysctlPattern.test(name))
      errors.invalid(here, name, `must have at most ${maxSysctlLength} characters and match regex ${sysctl}`);
    else if (seen.has(name)) errors.duplicate(here, name);
    if (spec.hostNetwork === true && /^net[./]/.test(name))
      errors.invalid(here, name, "may not be specified when 'hostNetwork' is true");
    else if (spec.hostIPC === true && /^(?:kernel[./](?:shm|msg|sem)|fs[./]mqueue[./])/.test(name))
      errors.invalid(here, name, "may not be specified when 'hostIPC' is true");
    seen.add(name);
  }
}

const maxCredentialSpecBytes = 64 * 1024;

function validateWindowsOptions(context: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const options = objectIn(context, 'windowsOptions');
  if (!options) return;
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = options;
  if (typeof gmsaCredentialSpecName === 'string')
    report(isDNS1123Subdomain(gmsaCredentialSpecName), at.child('gmsaCredentialSpecName'), gmsaCredentialSpecName, errors);
  if (gmsaCredentialSpec === '')
    errors.invalid(at.child('gmsaCredentialSpec'), '', 'gmsaCredentialSpec cannot be an empty string');
  else if (Buffer.byteLength(textIn(options, 'gmsaCredentialSpec')) > maxCredentialSpecBytes)
    errors.invalid(at.child('gmsaCredentialSpec'), gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB');
  if (typeof runAsUserName === 'string') validateUserName(runAsUserName, at.child('runAsUserName'), errors);
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?';
const domainName = new RegExp(`^${label}(?:\\.${label})*$`);
const maxDomainLength = 256;
const maxUserLength = 104;

/** `DOMAIN\user` or `user`. */
function validateUserName(name: string, at: FieldPath, errors: FieldErrors): void {
  report(userNameProblems(name), at, name, errors);
}

function userNameProblems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check is for control characters.
  if (/[\x00-\x1f\x7f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainProblems(parts[0] ?? '') : []), ...userProblems(user)];
}

function domainProblems(domain: string): readonly string[] {
  const problems: string[] = [];
  if (domain.length >= maxDomainLength)
    problems.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  if (!netBios.test(domain) && (domain.length > maxDomainLength || !domainName.test(domain)))
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return problems;
}

function userProblems(user: string): readonly string[] {
  const problems: string[] = [];
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (user.length > maxUserLength)
    problems.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}
