import {
  ageColumn,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type FieldErrors, type KubeObject, objectIn, parseCidr, path, textsIn, validateCidr } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { statusOnly } from '../common/status-only.ts';

const v1: ServedVersion = {
  group: 'networking.k8s.io',
  version: 'v1',
  schema: schemaOf('networking.v1.ServiceCIDR'),
  columns: [
    nameColumn,
    column('CIDRs', { type: 'io.k8s.api.networking.v1.ServiceCIDRSpec', field: 'cidrs' }, (object) => cidrsOf(object).join(',')),
    ageColumn,
  ],
};

export const serviceCidr: Resource = {
  names: { plural: 'servicecidrs', singular: 'servicecidr', kind: 'ServiceCIDR', listKind: 'ServiceCIDRList' },
  scope: 'Cluster',
  storagePrefix: '/registry/servicecidrs',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(() => {}, statusOnly),
  },
  strategy: {
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: validateCidrs,
    validateUpdate: validateCidrChanges,
  },
};

const cidrsPath = path('spec', 'cidrs');

function cidrsOf(object: KubeObject): readonly string[] {
  return textsIn(objectIn(object, 'spec'), 'cidrs');
}

function validateCidrs(object: KubeObject, errors: FieldErrors): void {
  const cidrs = cidrsOf(object);
  if (cidrs.length === 0) {
    errors.required(cidrsPath, 'at least one CIDR required');
    return;
  }
  if (cidrs.length > 2) {
    errors.invalid(cidrsPath, { CIDRs: [...cidrs] }, 'may only hold up to 2 values');
    return;
  }
  for (const [i, cidr] of cidrs.entries()) validateCidr(cidr, cidrsPath.index(i), errors);
  const families = cidrs.map((cidr) => parseCidr(cidr)?.family);
  if (cidrs.length === 2 && families[0] !== undefined && families[0] === families[1])
    errors.invalid(
      cidrsPath,
      [...cidrs],
      'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    );
}

const isImmutable = 'field is immutable';

/** A CIDR of the other IP family may be added; existing ones are immutable. */
function validateCidrChanges(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [cidrs, before] = [cidrsOf(object), cidrsOf(old)];
  if (cidrs.length === before.length) {
    for (const [i, cidr] of cidrs.entries()) if (cidr !== before[i]) errors.invalid(cidrsPath.index(i), cidr, isImmutable);
    return;
  }
  if (before.length === 1 && cidrs.length === 2) {
    if (cidrs[0] !== before[0]) errors.invalid(cidrsPath.index(0), cidrs[0], isImmutable);
    validateCidrs(object, errors);
  } else errors.invalid(cidrsPath, [...cidrs], isImmutable);
}
