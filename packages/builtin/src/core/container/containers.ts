import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { isPortName, isPortNumber, report, requireOneOf, validateDNSLabel } from '../../common/field-validation.ts';
import { validateEnvironment } from './environment.ts';
import { type Volumes, validateDevices, validateMounts } from './mounts.ts';
import { validateLifecycle, validateProbes } from './probes.ts';
import { containerResourceName, validateRequirements } from './resource-requirements.ts';
import { validateContainerSecurity } from './security-context.ts';

/** Parts of a pod spec that the validation of its containers depends on. */
export interface PodParts {
  readonly spec: JsonObject;
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
  readonly gracePeriod: number;
}

export function validateContainers(parts: PodParts, at: FieldPath, errors: FieldErrors): void {
  const containers = objectsIn(parts.spec, 'containers');
  if (containers.length === 0) {
    errors.required(at);
    return;
  }
  const names = new Set<string>();
  for (const [i, container] of containers.entries()) {
    const here = at.index(i);
    validateCommon(container, parts, here, errors);
    requireUniqueName(container, names, here, errors);
    validateLifecycle(container, parts.gracePeriod, here, errors);
    validateProbes(container, parts.gracePeriod, here, errors);
    validateRestartPolicy(container, here, errors);
  }
  validateHostPorts(containers, at, errors);
}

const onlyForSidecars = 'may not be set for init containers without restartPolicy=Always';

export function validateInitContainers(parts: PodParts, at: FieldPath, errors: FieldErrors): void {
  const names = new Set(objectsIn(parts.spec, 'containers').map((container) => textIn(container, 'name')));
  for (const [i, container] of objectsIn(parts.spec, 'initContainers').entries()) {
    const here = at.index(i);
    validateCommon(container, parts, here, errors);
    validateRestartPolicy(container, here, errors);
    requireUniqueName(container, names, here, errors);
    // Init containers run one after the other, so their host ports cannot conflict.
    validateHostPorts([container], at, errors);
    if (container.restartPolicy === 'Always') {
      validateLifecycle(container, parts.gracePeriod, here, errors);
      validateProbes(container, parts.gracePeriod, here, errors);
    } else validatePlainInitContainer(container, here, errors);
  }
}

function validatePlainInitContainer(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'])
    if (container[field] !== undefined) errors.forbidden(at.child(field), onlyForSidecars);
  for (const [i, policy] of objectsIn(container, 'resizePolicy').entries()) {
    if (policy.restartPolicy !== 'RestartContainer') continue;
    const here = at.child('resizePolicy').index(i).child('restartPolicy');
    errors.invalid(here, 'RestartContainer', "must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

const notForEphemeral = 'cannot be set for an Ephemeral Container';
const forbiddenForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

export function validateEphemeralContainers(parts: PodParts, at: FieldPath, errors: FieldErrors): void {
  const others = [...objectsIn(parts.spec, 'containers'), ...objectsIn(parts.spec, 'initContainers')];
  const targets = new Set(others.map((container) => textIn(container, 'name')));
  const names = new Set(targets);
  for (const [i, container] of objectsIn(parts.spec, 'ephemeralContainers').entries()) {
    const here = at.index(i);
    validateCommon(container, parts, here, errors);
    validateImageWhitespace(container, here, errors);
    requireUniqueName(container, names, here, errors);
    const target = textIn(container, 'targetContainerName');
    if (target !== '' && !targets.has(target)) errors.notFound(here.child('targetContainerName'), target);
    validateEphemeralFields(container, here, errors);
  }
}

function validateEphemeralFields(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of forbiddenForEphemeral) if (isSet(container[field])) errors.forbidden(at.child(field), notForEphemeral);
  for (const [i, mount] of objectsIn(container, 'volumeMounts').entries()) {
    const here = at.child('volumeMounts').index(i);
    for (const field of ['subPath', 'subPathExpr'])
      if (textIn(mount, field) !== '') errors.forbidden(here.child(field), notForEphemeral);
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && Object.keys(value as object).length > 0;
}

/** Only for pods: in templates an image may be a placeholder. */
export function validateImageWhitespace(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const image = textIn(container, 'image');
  if (image !== image.trim()) errors.invalid(at.child('image'), image, 'must not have leading or trailing whitespace');
}

function validateCommon(container: JsonObject, parts: PodParts, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(container, 'name');
  if (name === '') errors.required(at.child('name'));
  else validateDNSLabel(name, at.child('name'), errors);
  if (textIn(container, 'image') === '') errors.required(at.child('image'));
  const messagePolicies = ['File', 'FallbackToLogsOnError'];
  requireOneOf(textIn(container, 'terminationMessagePolicy'), messagePolicies, at.child('terminationMessagePolicy'), errors);
  validatePorts(container, at.child('ports'), errors);
  validateEnvironment(container, at, errors);
  validateMounts(container, parts.volumes, at, errors);
  validateDevices(container, parts.volumes, at, errors);
  validatePullPolicy(textIn(container, 'imagePullPolicy'), at.child('imagePullPolicy'), errors);
  validateRequirements(
    objectIn(container, 'resources') ?? {},
    containerResourceName,
    parts.claims,
    at.child('resources'),
    errors,
  );
  validateResizePolicy(container, textIn(parts.spec, 'restartPolicy'), at.child('resizePolicy'), errors);
  validateContainerSecurity(container, parts.spec.hostUsers !== false, at.child('securityContext'), errors);
}

export function validatePullPolicy(policy: string, at: FieldPath, errors: FieldErrors): void {
  requireOneOf(policy, ['Always', 'IfNotPresent', 'Never'], at, errors);
}

function requireUniqueName(container: JsonObject, names: Set<string>, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(container, 'name');
  if (names.has(name)) errors.duplicate(at.child('name'), name);
  else names.add(name);
}

function validatePorts(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [i, port] of objectsIn(container, 'ports').entries()) {
    const here = at.index(i);
    validatePortName(textIn(port, 'name'), names, here.child('name'), errors);
    const [number, hostPort] = [numberIn(port, 'containerPort'), numberIn(port, 'hostPort')];
    if (number === 0) errors.required(here.child('containerPort'));
    else report(isPortNumber(number), here.child('containerPort'), number, errors);
    if (hostPort !== 0) report(isPortNumber(hostPort), here.child('hostPort'), hostPort, errors);
    requireOneOf(textIn(port, 'protocol'), ['SCTP', 'TCP', 'UDP'], here.child('protocol'), errors);
  }
}

function validatePortName(name: string, seen: Set<string>, at: FieldPath, errors: FieldErrors): void {
  if (name === '') return;
  const messages = isPortName(name);
  report(messages, at, name, errors);
  if (messages.length > 0) return;
  if (seen.has(name)) errors.duplicate(at, name);
  seen.add(name);
}

function validateHostPorts(containers: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  const taken = new Set<string>();
  for (const [i, container] of containers.entries()) {
    for (const [j, port] of objectsIn(container, 'ports').entries()) {
      const hostPort = numberIn(port, 'hostPort');
      if (hostPort === 0) continue;
      const key = `${textIn(port, 'protocol')}/${textIn(port, 'hostIP')}/${hostPort}`;
      if (taken.has(key)) errors.duplicate(at.index(i).child('ports').index(j).child('hostPort'), key);
      taken.add(key);
    }
  }
}

function validateResizePolicy(container: JsonObject, restartPolicy: string, at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, policy] of objectsIn(container, 'resizePolicy').entries()) {
    const [resource, restart] = [textIn(policy, 'resourceName'), textIn(policy, 'restartPolicy')];
    if (seen.has(resource)) errors.duplicate(at.index(i), resource);
    seen.add(resource);
    requireOneOf(resource, ['cpu', 'memory'], at, errors);
    requireOneOf(restart, ['NotRequired', 'RestartContainer'], at, errors);
    if (restartPolicy === 'Never' && restart !== 'NotRequired')
      errors.invalid(at, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
  }
}

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

/** restartPolicy and restartPolicyRules of a single container. */
function validateRestartPolicy(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rules = objectsIn(container, 'restartPolicyRules');
  const policy = container.restartPolicy;
  if (policy === undefined) {
    if (rules.length === 0) return;
    errors.required(at.child('restartPolicy'), 'must specify restartPolicy when restart rules are used');
  } else if (!policies.includes(textIn(container, 'restartPolicy')))
    errors.notSupported(at.child('restartPolicy'), policy, policies);
  const list = at.child('restartPolicyRules');
  if (rules.length > maxRules) errors.tooMany(list, rules.length, maxRules);
  for (const [i, rule] of rules.entries()) validateRule(rule, list.index(i), errors);
}

function validateRule(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const action = textIn(rule, 'action');
  if (!actions.includes(action)) errors.notSupported(at.child('action'), action, actions);
  const exitCodes = objectIn(rule, 'exitCodes');
  if (!exitCodes) {
    errors.required(at.child('exitCodes'), 'must be specified');
    return;
  }
  const operator = textIn(exitCodes, 'operator');
  if (!operators.includes(operator)) errors.notSupported(at.child('exitCodes', 'operator'), operator, operators);
  const count = listIn(exitCodes, 'values').length;
  if (count > maxExitCodes) errors.tooMany(at.child('exitCodes', 'values'), count, maxExitCodes);
}
