import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Label,
  type JsonObject,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';
import { inclusiveRange, report, requireOneOf } from '../../common/field-validation.ts';
import { specOf } from '../../common/objects.ts';
import {
  type PodParts,
  validateContainers,
  validateEphemeralContainers,
  validateInitContainers,
} from '../container/containers.ts';
import { containerResourceName, validateRequirements } from '../container/resource-requirements.ts';
import { validatePodSecurity } from '../container/security-context.ts';
import { validateVolumes } from '../volume/volumes.ts';
import { validateAffinity } from './affinity.ts';
import { validatePodAnnotations, validateProfilesMatch } from './annotations.ts';
import { containerFields } from './defaults.ts';
import {
  validateDnsConfig,
  validateHostAliases,
  validateHostNetwork,
  validateHostnameOverride,
  validateHostUsers,
} from './host-settings.ts';
import { validateHostProcess, validateOperatingSystem } from './operating-system.ts';
import { validatePodResources, validateResourceClaims } from './pod-resources.ts';
import { validateGates, validateTolerations, validateTopologySpread } from './scheduling.ts';

export function validatePodTemplate(template: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const metadata = objectIn(template, 'metadata') ?? {};
  const spec = specOf(template);
  validateLabels(objectIn(metadata, 'labels') ?? {}, at.child('labels'), errors);
  validateAnnotations(objectIn(metadata, 'annotations') ?? {}, at.child('annotations'), errors);
  validatePodAnnotations(metadata, spec, at.child('annotations'), errors);
  validatePodSpec(spec, at.child('spec'), errors);
  validateProfilesMatch(metadata, spec, at.child('spec'), errors);
  if (objectsIn(spec, 'ephemeralContainers').length > 0)
    errors.forbidden(at.child('spec', 'ephemeralContainers'), 'ephemeral containers not allowed in pod template');
}

/** `pod` is the metadata of the pod; undefined for a template. */
export function validatePodSpec(spec: JsonObject, at: FieldPath, errors: FieldErrors, pod?: JsonObject): void {
  const isPod = pod !== undefined;
  const volumes = validateVolumes(spec, { isPod, name: textIn(pod, 'name') }, at.child('volumes'), errors);
  const claims = validateResourceClaims(spec, pod, at.child('resourceClaims'), errors);
  const parts: PodParts = { spec, volumes, claims, gracePeriod: numberIn(spec, 'terminationGracePeriodSeconds') };
  validateContainers(parts, at.child('containers'), errors);
  validateInitContainers(parts, at.child('initContainers'), errors);
  validateEphemeralContainers(parts, at.child('ephemeralContainers'), errors);
  validatePodResources(spec, claims, at.child('resources'), errors);
  validateHostNetwork(spec, isPod, at, errors);
  requireOneOf(textIn(spec, 'restartPolicy'), ['Always', 'OnFailure', 'Never'], at.child('restartPolicy'), errors);
  const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  requireOneOf(textIn(spec, 'dnsPolicy'), dnsPolicies, at.child('dnsPolicy'), errors);
  validateLabels(objectIn(spec, 'nodeSelector') ?? {}, at.child('nodeSelector'), errors);
  validatePodSecurity(spec, at.child('securityContext'), errors);
  validateAffinity(spec, at.child('affinity'), errors);
  validateDnsConfig(spec, at.child('dnsConfig'), errors);
  validateGates(spec, at, errors);
  validateTopologySpread(spec, at.child('topologySpreadConstraints'), errors);
  validateHostProcess(spec, at, errors);
  validateHostUsers(spec, at, errors);
  validateHostnameOverride(spec, at.child('hostnameOverride'), errors);
  validateNames(spec, at, errors);
  validateRest(spec, at, errors);
  validateOperatingSystem(spec, at, errors);
  validateFileVolumes(spec, at, errors);
}

const maxDeadlineSeconds = 2 ** 31 - 1;

/** Names of referenced objects, grace period and deadline. */
function validateNames(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['serviceAccountName', 'nodeName']) checkName(spec, field, nameIsDNSSubdomain, at, errors);
  const { activeDeadlineSeconds: deadline } = spec;
  if (deadline !== undefined && (Number(deadline) < 1 || Number(deadline) > maxDeadlineSeconds))
    errors.invalid(at.child('activeDeadlineSeconds'), deadline, inclusiveRange(1, maxDeadlineSeconds));
  for (const field of ['hostname', 'subdomain']) checkName(spec, field, isDNS1123Label, at, errors);
}

function checkName(
  spec: JsonObject,
  field: string,
  isName: (name: string, prefix: boolean) => readonly string[],
  at: FieldPath,
  errors: FieldErrors,
): void {
  const name = textIn(spec, field);
  if (name !== '') report(isName(name, false), at.child(field), name, errors);
}

function validateRest(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateTolerations(objectsIn(spec, 'tolerations'), at.child('tolerations'), errors);
  validateHostAliases(spec, at.child('hostAliases'), errors);
  checkName(spec, 'priorityClassName', nameIsDNSSubdomain, at, errors);
  const { runtimeClassName, preemptionPolicy } = spec;
  if (typeof runtimeClassName === 'string')
    report(nameIsDNSSubdomain(runtimeClassName, false), at.child('runtimeClassName'), runtimeClassName, errors);
  if (typeof preemptionPolicy === 'string')
    requireOneOf(preemptionPolicy, ['PreemptLowerPriority', 'Never'], at.child('preemptionPolicy'), errors);
  const overhead = objectIn(spec, 'overhead');
  if (overhead) validateRequirements({ limits: overhead }, containerResourceName, new Set(), at.child('overhead'), errors);
}

/** fileKeyRef must refer to an emptyDir volume of the pod. */
function validateFileVolumes(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const volumes = new Map(objectsIn(spec, 'volumes').map((volume) => [textIn(volume, 'name'), volume]));
  for (const field of containerFields) {
    for (const [i, container] of objectsIn(spec, field).entries()) {
      for (const [j, variable] of objectsIn(container, 'env').entries()) {
        const reference = objectIn(objectIn(variable, 'valueFrom'), 'fileKeyRef');
        if (!reference) continue;
        const name = textIn(reference, 'volumeName');
        const here = at.child(field).index(i).child('env').index(j).child('valueFrom', 'fileKeyRef', 'volumeName');
        const volume = volumes.get(name);
        if (!volume) errors.notFound(here, name);
        else if (!volume.emptyDir) errors.invalid(here, name, 'referenced volume must be of type emptyDir');
      }
    }
  }
}
