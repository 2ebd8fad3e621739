import type { ServedVersion } from '@tsukube/apiserver';
import { type FieldError, fillIn, type JsonObject, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { defaultSigner } from './kubelet-request.ts';
import { legacyVersion } from './legacy-version.ts';

const usages = ['digital signature', 'key encipherment'];

/** v1 wants to be told who signs, and for what. */
function defaultRequest(object: JsonObject): void {
  const spec = objectIn(object, 'spec');
  if (spec) {
    spec.usages ??= [...usages];
    const request = Buffer.from(textIn(spec, 'request'), 'base64').toString('latin1');
    spec.signerName ??= defaultSigner(request, textsIn(spec, 'usages'));
  }
  for (const condition of objectsIn(objectIn(object, 'status'), 'conditions')) fillIn(condition, 'status', 'True');
}

/** v1 names its signer, uses known usages once, and has conditions and a certificate that make sense. */
function judge(error: FieldError): FieldError | undefined {
  const { field, body } = error;
  const accepted =
    (field === 'spec.signerName' && body.includes('the legacy signerName is not allowed')) ||
    /^spec\.usages\[/.test(field) ||
    (/^status\.conditions\[\d+]\.type$/.test(field) && /Required|Duplicate/.test(error.reason)) ||
    (field === 'status.certificate' && !body.includes('updates may not set'));
  return accepted ? undefined : error;
}

export const signingRequestVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'certificates.k8s.io',
    type: 'certificates.v1beta1.CertificateSigningRequest',
    hub: 'certificates.v1.CertificateSigningRequest',
    deprecated: 19,
    removed: 22,
    replacement: 'certificates.k8s.io/v1 CertificateSigningRequest',
    applyDefaults: defaultRequest,
    judge,
  }),
];
