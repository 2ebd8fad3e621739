import { type FieldErrors, type FieldPath, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { containerFields } from './defaults.ts';

const notOnWindows = 'cannot be set for a windows pod';
const podContextFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
];
/** Fields of the pod spec rather than of its security context. */
const specFields = new Set(['hostUsers', 'hostPID', 'hostIPC', 'shareProcessNamespace']);
const containerContextFields = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
];

export function validateOperatingSystem(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const os = objectIn(spec, 'os');
  if (!os) return;
  const name = textIn(os, 'name');
  if (name === '') errors.required(at.child('os', 'name'));
  else if (name === 'linux') validateLinux(spec, at, errors);
  else if (name === 'windows') validateWindows(spec, at, errors);
  else errors.notSupported(at.child('os'), name, ['linux', 'windows']);
}

function validateLinux(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const refuse = (context: JsonObject | undefined, here: FieldPath) => {
    if (context?.windowsOptions !== undefined)
      errors.forbidden(here.child('windowsOptions'), 'windows options cannot be set for a linux pod');
  };
  refuse(objectIn(spec, 'securityContext'), at.child('securityContext'));
  eachContext(spec, at, refuse);
}

function validateWindows(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const podContext = objectIn(spec, 'securityContext');
  for (const field of podContextFields) {
    const inSpec = specFields.has(field);
    const value = (inSpec ? spec : podContext)?.[field];
    const off = value === undefined || (value === false && (field === 'hostPID' || field === 'hostIPC'));
    if (!off) errors.forbidden((inSpec ? at : at.child('securityContext')).child(field), notOnWindows);
  }
  eachContext(spec, at, (context, here) => {
    for (const field of containerContextFields)
      if (context[field] !== undefined) errors.forbidden(here.child(field), notOnWindows);
  });
}

function eachContext(spec: JsonObject, at: FieldPath, visit: (context: JsonObject, at: FieldPath) => void): void {
  for (const field of containerFields) {
    for (const [i, container] of objectsIn(spec, field).entries()) {
      const context = objectIn(container, 'securityContext');
      if (context) visit(context, at.child(field).index(i).child('securityContext'));
    }
  }
}

/** Windows HostProcess: all containers of the pod or none, and only with hostNetwork. */
export function validateHostProcess(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const ofPod = hostProcessOf(spec);
  let all = 0;
  let onHost = 0;
  for (const field of containerFields) {
    for (const [i, container] of objectsIn(spec, field).entries()) {
      const own = hostProcessOf(container);
      if (ofPod !== undefined && own !== undefined && ofPod !== own) {
        const here = at.child(field).index(i).child('securityContext', 'windowsOptions', 'hostProcess');
        errors.invalid(here, own, `pod hostProcess value must be identical if both are specified, was ${ofPod}`);
      }
      all++;
      if (own ?? ofPod) onHost++;
    }
  }
  if (onHost === 0) return;
  if (onHost !== all)
    errors.invalid(at, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers');
  if (spec.hostNetwork !== true) {
    const message = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.invalid(at.child('hostNetwork'), false, message);
  }
}

function hostProcessOf(owner: JsonObject): boolean | undefined {
  return objectIn(objectIn(owner, 'securityContext'), 'windowsOptions')?.hostProcess as boolean | undefined;
}
