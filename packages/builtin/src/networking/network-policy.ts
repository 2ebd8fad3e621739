import { type Column, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type JsonObject,
  labelSelectorOf,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  warningsForCidr,
} from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { directions, validateNetworkPolicy } from './network-policy-validation.ts';

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

function defaultNetworkPolicy(object: JsonObject): void {
  object.spec ??= {};
  const spec = object.spec as JsonObject;
  spec.podSelector ??= {};
  if (textsIn(spec, 'policyTypes').length === 0)
    spec.policyTypes = objectsIn(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  for (const { rules } of directions)
    for (const rule of objectsIn(spec, rules)) for (const port of objectsIn(rule, 'ports')) port.protocol ??= 'TCP';
}

function policyWarnings(object: JsonObject): readonly string[] {
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
