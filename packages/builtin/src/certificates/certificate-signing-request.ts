import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  storedVerbs,
  type User,
} from '@tsukube/apiserver';
import { ensureObject, humanDuration, type JsonObject, objectIn, objectsIn, setKey, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { conditionsOf, fillConditionTimes, keepDecisions } from './csr-conditions.ts';
import { validateCsr, validateCsrUpdate } from './csr-validation.ts';

// kube-apiserver describes the columns with the v1beta1 types.
const older = 'io.k8s.api.certificates.v1beta1.CertificateSigningRequest';
const newer = 'io.k8s.api.certificates.v1.CertificateSigningRequest';

const csrColumns: readonly Column[] = [
  nameColumn,
  ageColumn,
  column('SignerName', { type: `${older}Spec`, field: 'signerName' }, (object) => specText(object, 'signerName') || '<none>'),
  column('Requestor', { type: `${older}Spec`, field: 'request' }, (object) => specText(object, 'username')),
  column('RequestedDuration', { type: `${newer}Spec`, field: 'expirationSeconds' }, (object) => {
    const seconds = objectIn(object, 'spec')?.expirationSeconds;
    return seconds === undefined ? '<none>' : humanDuration(Number(seconds) * 1000);
  }),
  column('Condition', { type: `${older}Status`, field: 'conditions' }, shownCondition),
];

const v1: ServedVersion = {
  group: 'certificates.k8s.io',
  version: 'v1',
  schema: schemaOf('certificates.v1.CertificateSigningRequest'),
  columns: csrColumns,
  selectableFields: { 'spec.signerName': (object) => textIn(objectIn(object, 'spec'), 'signerName') },
};

const verbs = { get: storedVerbs.get, update: storedVerbs.update, patch: storedVerbs.patch };

export const certificateSigningRequest: Resource = {
  names: {
    plural: 'certificatesigningrequests',
    singular: 'certificatesigningrequest',
    kind: 'CertificateSigningRequest',
    listKind: 'CertificateSigningRequestList',
    shortNames: ['csr'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/certificatesigningrequests',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    /** Signers write the certificate to the status. */
    status: {
      verbs,
      strategy: {
        resetFields: { 'f:spec': {}, 'f:status': { 'f:conditions': {} } },
        prepareForUpdate(object, old) {
          object.spec = old.spec ?? {};
          keepDecisions(object, old);
          fillConditionTimes(object, old, Date.now());
        },
        validateUpdate: (object, old, errors) => validateCsrUpdate(object, old, errors, { mayIssue: true }),
      },
    },
    approval: {
      verbs,
      strategy: {
        resetFields: { 'f:spec': {}, 'f:status': { 'f:certificate': {} } },
        prepareForUpdate(object, old) {
          fillConditionTimes(object, old, Date.now());
          object.spec = old.spec ?? {};
          object.status = withConditions(objectIn(old, 'status'), conditionsOf(object));
        },
        validateUpdate: (object, old, errors) => validateCsrUpdate(object, old, errors, { mayDecide: true }),
      },
    },
  },
  strategy: {
    resetFields: { 'f:spec': {}, 'f:status': {} },
    validateName: () => [],
    prepareForCreate(object, user) {
      describeRequestor(ensureObject(object, 'spec'), user);
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.spec = old.spec ?? {};
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateCsr(object, undefined, errors),
    validateUpdate: (object, old, errors) => validateCsrUpdate(object, old, errors, {}),
  },
};

/** Sets the requestor from the authenticated user: signers and approvers rely on it. */
function describeRequestor(spec: JsonObject, { name, uid, groups, extra }: User): void {
  for (const field of ['username', 'uid', 'groups', 'extra']) delete spec[field];
  spec.username = name;
  if (uid) spec.uid = uid;
  if (groups.length > 0) spec.groups = [...groups];
  const entries = Object.entries(extra ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  if (entries.length === 0) return;
  const shown: JsonObject = {};
  for (const [key, values] of entries) setKey(shown, key, [...values]);
  spec.extra = shown;
}

function withConditions(status: JsonObject | undefined, conditions: readonly JsonObject[]): JsonObject {
  const { conditions: _, ...rest } = status ?? {};
  return conditions.length === 0 ? rest : { conditions: [...conditions], ...rest };
}

function specText(object: JsonObject, field: string): string {
  return textIn(objectIn(object, 'spec'), field);
}

function shownCondition(object: JsonObject): string {
  const status = objectIn(object, 'status');
  const types = new Set(objectsIn(status, 'conditions').map((condition) => condition.type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${types.has('Failed') ? ',Failed' : ''}${textIn(status, 'certificate') ? ',Issued' : ''}`;
}

export const certificatesResources: readonly Resource[] = [certificateSigningRequest];
