import { type AdmissionAttributes, type AdmissionPlugin, type Authorizer, forbiddenByAdmission } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import { requestedSubject } from '../../certificates/signing-request.ts';

const clientSigner = 'kubernetes.io/kube-apiserver-client';
const privilegedGroup = 'system:masters';

/** CertificateApproval: approving and denying requires the verb `approve` on the signer. */
export function certificateApproval(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    validate(attributes) {
      if (attributes.operation !== 'UPDATE' || !isSigningRequests(attributes, 'approval')) return;
      return requireSigner(attributes, authorizer, 'approve');
    },
  };
}

/** CertificateSigning: writing the status requires the verb `sign` on the signer. */
export function certificateSigning(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    validate(attributes) {
      if (attributes.operation !== 'UPDATE' || !isSigningRequests(attributes, 'status')) return;
      const [status, old] = [objectIn(attributes.object, 'status'), objectIn(attributes.oldObject, 'status')];
      const isCertificateSame = textIn(status, 'certificate') === textIn(old, 'certificate');
      if (isCertificateSame && deepEqual(status?.conditions ?? [], old?.conditions ?? [])) return;
      return requireSigner(attributes, authorizer, 'sign');
    },
  };
}

/** CertificateSubjectRestriction: no client certificates for system:masters. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  validate(attributes) {
    if (attributes.operation !== 'CREATE' || !isSigningRequests(attributes, '')) return;
    const spec = objectIn(attributes.object, 'spec');
    if (textIn(spec, 'signerName') !== clientSigner) return;
    const subject = subjectOf(spec);
    if ('problem' in subject) throw forbiddenByAdmission(attributes, `failed to parse CSR: ${subject.problem}`);
    if (subject.organizations.includes(privilegedGroup))
      throw forbiddenByAdmission(attributes, `use of ${clientSigner} signer with ${privilegedGroup} group is not allowed`);
  },
};

/** The subject requested by a CertificateSigningRequest. */
export function subjectOf(spec: JsonObject | undefined): ReturnType<typeof requestedSubject> {
  return requestedSubject(Buffer.from(textIn(spec, 'request'), 'base64').toString('latin1'));
}

function isSigningRequests({ resource, subresource }: AdmissionAttributes, part: string): boolean {
  const { names, hub } = resource;
  return subresource === part && names.plural === 'certificatesigningrequests' && hub.group === 'certificates.k8s.io';
}

/** Checks the signer of the stored object, which an update cannot change. */
async function requireSigner(attributes: AdmissionAttributes, authorizer: Authorizer, verb: 'approve' | 'sign'): Promise<void> {
  const signer = textIn(objectIn(attributes.oldObject, 'spec'), 'signerName');
  const domain = signer.split('/')[0];
  for (const name of [signer, `${domain}/*`]) if (await mayUseSigner(attributes, authorizer, verb, name)) return;
  throw forbiddenByAdmission(attributes, `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`);
}

async function mayUseSigner({ user }: AdmissionAttributes, authorizer: Authorizer, verb: string, name: string): Promise<boolean> {
  const signers = { group: 'certificates.k8s.io', version: '*', resource: 'signers', subresource: '' };
  const { decision, error } = await authorizer.authorize({
    ...signers,
    user,
    verb,
    name,
    namespace: '',
    path: '',
    isResource: true,
  });
  return decision === 'allow' && error === undefined;
}
