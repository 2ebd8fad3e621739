import { ageColumn, type Column, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  containsAddress,
  FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  labelSelectorOf,
  numberIn,
  objectIn,
  objectsIn,
  parseCidr,
  path,
  textIn,
  textsIn,
  validateLabelSelector,
  validateLegacyCidr,
  warningsForCidr,
} from '@tsukube/machinery';
import { isPortNumber, report, validateEnum, validatePort } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';

const columns: readonly Column[] = [
  nameColumn,
  column('Pod-Selector', { type: 'io.k8s.api.networking.v1.NetworkPolicySpec', field: 'podSelector' }, (object) =>
    selectorCell(objectIn(objectIn(object, 'spec'), 'podSelector') ?? {}),
  ),
  ageColumn,
];

const v1: ServedVersion = { group: 'networking.k8s.io', version: 'v1', schema: schemaOf('networking.v1.NetworkPolicy'), columns };

export const networkPolicy: Resource = {
  names: {
    plural: 'networkpolicies',
    singular: 'networkpolicy',
    kind: 'NetworkPolicy',
    listKind: 'NetworkPolicyList',
    shortNames: ['netpol'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/networkpolicies',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    generation: true,
    applyDefaults: defaultNetworkPolicy,
    validateCreate: (object, errors) => validateNetworkPolicy(object, undefined, errors),
    validateUpdate: validateNetworkPolicy,
    warnings: policyWarnings,
  },
};

function selectorCell(selector: JsonObject): string {
  try {
    return String(labelSelectorOf(selector)) || '<none>';
  } catch {
    return '<error>';
  }
}

function defaultNetworkPolicy(object: KubeObject): void {
  object.spec ??= {};
  const spec = specOf(object);
  spec.podSelector ??= {};
  if (textsIn(spec, 'policyTypes').length === 0)
    spec.policyTypes = objectsIn(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const { rules } of directions)
    for (const rule of objectsIn(spec, rules)) for (const port of objectsIn(rule, 'ports')) port.protocol ??= 'TCP';
}

function policyWarnings(object: KubeObject): readonly string[] {
  const warnings: string[] = [];
  for (const { rules, peers } of directions) {
    for (const [i, rule] of objectsIn(objectIn(object, 'spec'), rules).entries()) {
      for (const [j, peer] of objectsIn(rule, peers).entries()) {
        const block = objectIn(peer, 'ipBlock');
        const at = path('spec', rules).index(i).child(peers).index(j).child('ipBlock');
        warnings.push(...warningsForCidr(textIn(block, 'cidr'), at.child('cidr')));
        for (const [k, except] of textsIn(block, 'except').entries())
          warnings.push(...warningsForCidr(except, at.child('except').index(k)));
      }
    }
  }
  return warnings;
}

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];
const directions = [
  { rules: 'ingress', peers: 'from' },
  { rules: 'egress', peers: 'to' },
] as const;

/** Invalid selectors and CIDRs of the stored object stay accepted. */
interface Ratcheting {
  readonly allowInvalidValues: boolean;
  readonly cidrs: ReadonlySet<string>;
}

function validateNetworkPolicy(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = specOf(object);
  const ratcheting = ratchetingFor(objectIn(old, 'spec'));
  validateLabelSelector(objectIn(spec, 'podSelector'), path('spec', 'podSelector'), errors, ratcheting);
  for (const { rules, peers } of directions) {
    for (const [i, rule] of objectsIn(spec, rules).entries()) {
      const at = path('spec', rules).index(i);
      for (const [j, port] of objectsIn(rule, 'ports').entries()) validatePolicyPort(port, at.child('ports').index(j), errors);
      for (const [j, peer] of objectsIn(rule, peers).entries()) validatePeer(peer, ratcheting, at.child(peers).index(j), errors);
    }
  }
  validatePolicyTypes(textsIn(spec, 'policyTypes'), errors);
}

function ratchetingFor(spec: JsonObject | undefined): Ratcheting {
  const found = new FieldErrors();
  validateLabelSelector(objectIn(spec, 'podSelector'), path('podSelector'), found);
  const blocks = directions.flatMap(({ rules, peers }) =>
    objectsIn(spec, rules).flatMap((rule) => objectsIn(rule, peers).map((peer) => objectIn(peer, 'ipBlock'))),
  );
  const cidrs = blocks.flatMap((block) => [textIn(block, 'cidr'), ...textsIn(block, 'except')]);
  return { allowInvalidValues: found.length > 0, cidrs: new Set(cidrs) };
}

function validatePolicyTypes(types: readonly string[], errors: FieldErrors): void {
  const at = path('spec', 'policyTypes');
  if (types.length > policyTypes.length) {
    errors.invalid(at, [...types], 'may not specify more than two policyTypes');
    return;
  }
  for (const [i, type] of types.entries()) if (!policyTypes.includes(type)) errors.notSupported(at.index(i), type, policyTypes);
}

function validatePolicyPort(port: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const { protocol, port: number, endPort } = port;
  validateEnum(protocol, protocols, at.child('protocol'), errors);
  if (typeof number === 'number') {
    validatePort(number, at.child('port'), errors);
    if (endPort !== undefined) validateEndPort(number, numberIn(port, 'endPort'), at.child('endPort'), errors);
    return;
  }
  const reason = number === undefined ? 'not specified' : 'non-numeric';
  if (endPort !== undefined) errors.invalid(at.child('endPort'), endPort, `may not be specified when \`port\` is ${reason}`);
  if (number !== undefined) validatePort(number, at.child('port'), errors);
}

function validateEndPort(first: number, last: number, at: FieldPath, errors: FieldErrors): void {
  if (last < first) errors.invalid(at, first, 'must be greater than or equal to `port`');
  report(isPortNumber(last), at, last, errors);
}

function validatePeer(peer: JsonObject, ratcheting: Ratcheting, at: FieldPath, errors: FieldErrors): void {
  const selectors = ['podSelector', 'namespaceSelector'].filter((field) => objectIn(peer, field));
  for (const field of selectors) validateLabelSelector(objectIn(peer, field), at.child(field), errors, ratcheting);
  const block = objectIn(peer, 'ipBlock');
  if (block) validateBlock(block, ratcheting, at.child('ipBlock'), errors);
  else if (selectors.length === 0) errors.required(at, 'must specify a peer');
  if (block && selectors.length > 0) errors.forbidden(at, 'may not specify both ipBlock and another peer');
}

function validateBlock(block: JsonObject, { cidrs }: Ratcheting, at: FieldPath, errors: FieldErrors): void {
  const text = textIn(block, 'cidr');
  if (text === '') {
    errors.required(at.child('cidr'));
    return;
  }
  validateLegacyCidr(text, at.child('cidr'), errors, cidrs);
  const cidr = parseCidr(text);
  if (!cidr) return;
  for (const [i, except] of textsIn(block, 'except').entries()) {
    const here = at.child('except').index(i);
    validateLegacyCidr(except, here, errors, cidrs);
    const inner = parseCidr(except);
    if (!inner) continue;
    const within = containsAddress(cidr, { family: inner.family, value: inner.base }) && cidr.bits < inner.bits;
    if (!within) errors.invalid(here, except, 'must be a strict subset of `cidr`');
  }
}
