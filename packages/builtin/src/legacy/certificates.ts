import type { ServedVersion } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { fillIn, objectIn, objectsIn } from '../core/pod-spec/members.ts';
import { legacyVersion } from './legacy-version.ts';

const usages = ['digital signature', 'key encipherment'];

/** v1 wants to be told who signs, and for what. */
function defaultRequest(request: JsonObject): void {
  const spec = objectIn(request, 'spec');
  if (spec) {
    spec.usages ??= [...usages];
    spec.signerName ??= 'kubernetes.io/legacy-unknown';
  }
  for (const condition of objectsIn(objectIn(request, 'status'), 'conditions')) fillIn(condition, 'status', 'True');
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
  }),
];
