import {
  containsAddress,
  FieldErrors,
  type FieldPath,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  parseCidr,
  path,
  textIn,
  textsIn,
  validateLabelSelector,
  validateLegacyCidr,
} from '@tsukube/machinery';
import { isPortNumber, report, validatePort } from '../common/field-validation.ts';

const protocols = ['TCP', 'UDP', 'SCTP'];
const policyTypes = ['Ingress', 'Egress'];
export const directions = [
  { rules: 'ingress', peers: 'from' },
  { rules: 'egress', peers: 'to' },
] as const;

/** What was accepted before. */
interface Accepted {
  readonly allowInvalidValues: boolean;
  readonly cidrs: ReadonlySet<string>;
}

export function validateNetworkPolicy(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const accepted = acceptedIn(objectIn(old, 'spec'));
  validateLabelSelector(objectIn(spec, 'podSelector'), path('spec', 'podSelector'), errors, accepted);
  for (const { rules, peers } of directions) {
    for (const [i, rule] of objectsIn(spec, rules).entries()) {
      const at = path('spec', rules).index(i);
      for (const [j, port] of objectsIn(rule, 'ports').entries()) validatePolicyPort(port, at.child('ports').index(j), errors);
      for (const [j, peer] of objectsIn(rule, peers).entries()) validatePeer(peer, accepted, at.child(peers).index(j), errors);
    }
  }
  validatePolicyTypes(textsIn(spec, 'policyTypes'), errors);
}

function acceptedIn(spec: JsonObject | undefined): Accepted {
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
  if (protocol !== undefined && !protocols.includes(protocol as string))
    errors.notSupported(at.child('protocol'), protocol, protocols);
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

function validatePeer(peer: JsonObject, accepted: Accepted, at: FieldPath, errors: FieldErrors): void {
  const selectors = ['podSelector', 'namespaceSelector'].filter((field) => objectIn(peer, field));
  for (const field of selectors) validateLabelSelector(objectIn(peer, field), at.child(field), errors, accepted);
  const block = objectIn(peer, 'ipBlock');
  if (block) validateBlock(block, accepted, at.child('ipBlock'), errors);
  else if (selectors.length === 0) errors.required(at, 'must specify a peer');
  if (block && selectors.length > 0) errors.forbidden(at, 'may not specify both ipBlock and another peer');
}

function validateBlock(block: JsonObject, { cidrs }: Accepted, at: FieldPath, errors: FieldErrors): void {
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
