import { ageColumn, type Column, column, nameColumn } from '@tsukube/apiserver';
import { humanDuration, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';

// Kubernetes takes the words of an older version.
const older = 'io.k8s.api.certificates.v1beta1.CertificateSigningRequest';
const newer = 'io.k8s.api.certificates.v1.CertificateSigningRequest';

export const csrColumns: readonly Column[] = [
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

function specText(object: JsonObject, field: string): string {
  return textIn(objectIn(object, 'spec'), field);
}

function shownCondition(object: JsonObject): string {
  const status = objectIn(object, 'status');
  const types = new Set(objectsIn(status, 'conditions').map((condition) => condition.type));
  const decision = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${types.has('Failed') ? ',Failed' : ''}${textIn(status, 'certificate') ? ',Issued' : ''}`;
}
