import type { RequestedCertificate } from '@tsukube/builtin';

const nodes = 'system:nodes';
const nodePrefix = 'system:node:';

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet';

/** Why a signer refuses a request; undefined if it accepts it. */
type Refusal = (certificate: RequestedCertificate, usages: readonly string[]) => string | undefined;

/** The signers of Kubernetes. */
export const signers: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  ['kubernetes.io/kube-apiserver-client', (_, usages) => clientUsageProblem(usages)],
  [kubeletClientSigner, kubeletClientProblem],
  ['kubernetes.io/kubelet-serving', kubeletServingProblem],
  ['kubernetes.io/legacy-unknown', () => undefined],
]);

const optionalClientUsages = ['digital signature', 'key encipherment'];

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => usage !== 'client auth' && !optionalClientUsages.includes(usage));
  if (other !== undefined) return `invalid usage for client certificate: ${other}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

export function kubeletClientProblem(certificate: RequestedCertificate, usages: readonly string[]): string | undefined {
  const { organizations, commonName, alternativeNames } = certificate;
  if (!isNodesOnly(organizations)) return `subject organization is not ${nodes}`;
  if (alternativeNames.dns.length > 0) return 'DNS subjectAltNames are not allowed';
  if (alternativeNames.email.length > 0) return 'Email subjectAltNames are not allowed';
  if (alternativeNames.ip.length > 0) return 'IP subjectAltNames are not allowed';
  if (alternativeNames.uri.length > 0) return 'URI subjectAltNames are not allowed';
  if (!commonName.startsWith(nodePrefix)) return commonNameProblem;
  return usageProblem(usages, 'client auth');
}

function kubeletServingProblem(certificate: RequestedCertificate, usages: readonly string[]): string | undefined {
  const { organizations, commonName, alternativeNames } = certificate;
  if (!isNodesOnly(organizations)) return `subject organization is not ${nodes}`;
  if (alternativeNames.dns.length + alternativeNames.ip.length === 0) return 'DNS or IP subjectAltName is required';
  if (alternativeNames.email.length > 0) return 'Email subjectAltNames are not allowed';
  if (alternativeNames.uri.length > 0) return 'URI subjectAltNames are not allowed';
  return usageProblem(usages, 'server auth') ?? (commonName.startsWith(nodePrefix) ? undefined : commonNameProblem);
}

const commonNameProblem = `subject common name does not begin with ${nodePrefix}`;

function isNodesOnly(organizations: readonly string[]): boolean {
  return organizations.length === 1 && organizations[0] === nodes;
}

/** Key encipherment is for RSA keys only. */
function usageProblem(usages: readonly string[], purpose: 'client auth' | 'server auth'): string | undefined {
  const given = new Set(usages);
  const isComplete = given.delete('digital signature') && given.delete(purpose);
  given.delete('key encipherment');
  if (isComplete && given.size === 0) return undefined;
  return `usages did not match [${['digital signature', 'key encipherment', purpose].sort().join(' ')}]`;
}
