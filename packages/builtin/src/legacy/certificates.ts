import type { ServedVersion } from '@tsukube/apiserver';
import {
  type DerElement,
  derElements,
  type FieldError,
  fillIn,
  insideDer,
  type JsonObject,
  MalformedDer,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { pemBlocks } from '../certificates/pem.ts';
import { legacyVersion } from './legacy-version.ts';

const tags = { sequence: 0x30, set: 0x31, attributes: 0xa0, octets: 0x04 };
const oids = { organization: '55040a', commonName: '550403', extensions: '2a864886f70d01090e', alternativeNames: '551d11' };
/** DER tags of the allowed subject alternative names. */
const nameTags = { dns: 0x82, ip: 0x87 };

interface RequestedIdentity {
  readonly organizations: readonly string[];
  readonly commonName: string;
  /** The DER tags of the subject alternative names. */
  readonly alternativeNames: readonly number[];
}

/** The default signerName of v1beta1, derived from the request. */
export function defaultSigner(requestPem: string, usages: readonly string[]): string {
  const identity = identityIn(requestPem);
  if (identity && isOfNode(identity)) {
    const names = identity.alternativeNames;
    if (names.length === 0 && isFor('client auth', usages)) return 'kubernetes.io/kube-apiserver-client-kubelet';
    const named = names.length > 0 && names.every((tag) => tag === nameTags.dns || tag === nameTags.ip);
    if (named && isFor('server auth', usages)) return 'kubernetes.io/kubelet-serving';
  }
  return 'kubernetes.io/legacy-unknown';
}

function isOfNode({ organizations, commonName }: RequestedIdentity): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes' && commonName.startsWith('system:node:');
}

/** Key encipherment is optional: only RSA keys need it. */
function isFor(purpose: string, usages: readonly string[]): boolean {
  const others = new Set(usages);
  const asked = others.delete(purpose) && others.delete('digital signature');
  others.delete('key encipherment');
  return asked && others.size === 0;
}

function identityIn(requestPem: string): RequestedIdentity | undefined {
  const [block] = pemBlocks(requestPem);
  if (block?.type !== 'CERTIFICATE REQUEST') return undefined;
  try {
    return readIdentity(block.der);
  } catch (error) {
    if (error instanceof MalformedDer) return undefined;
    throw error;
  }
}

function readIdentity(der: Buffer): RequestedIdentity {
  const [whole] = derElements(der);
  const [information] = insideDer(whole, tags.sequence);
  const [, subject, , attributes] = insideDer(information, tags.sequence);
  const names = insideDer(subject, tags.sequence).flatMap((set) => insideDer(set, tags.set).map(pairOf));
  const valuesOf = (oid: string) => names.filter(([name]) => name === oid).map(([, value]) => value?.content.toString() ?? '');
  return {
    organizations: valuesOf(oids.organization),
    commonName: valuesOf(oids.commonName).at(-1) ?? '',
    alternativeNames: attributes ? alternativeNamesIn(attributes) : [],
  };
}

function alternativeNamesIn(attributes: DerElement): readonly number[] {
  return insideDer(attributes, tags.attributes)
    .map(pairOf)
    .filter(([oid]) => oid === oids.extensions)
    .flatMap(([, values]) => insideDer(values, tags.set))
    .flatMap((extensions) => insideDer(extensions, tags.sequence))
    .map((extension) => insideDer(extension, tags.sequence))
    .filter(([oid]) => oid?.content.toString('hex') === oids.alternativeNames)
    .flatMap((parts) => parts.filter(({ tag }) => tag === tags.octets))
    .flatMap(({ content }) => derElements(content))
    .flatMap((names) => insideDer(names, tags.sequence))
    .map(({ tag }) => tag);
}

function pairOf(sequence: DerElement): readonly [string, DerElement | undefined] {
  const [oid, value] = insideDer(sequence, tags.sequence);
  return [oid?.content.toString('hex') ?? '', value];
}

const usages = ['digital signature', 'key encipherment'];

/** v1 requires signerName and usages. */
function defaultRequest(object: JsonObject): void {
  const spec = objectIn(object, 'spec');
  if (spec) {
    spec.usages ??= [...usages];
    const request = Buffer.from(textIn(spec, 'request'), 'base64').toString('latin1');
    spec.signerName ??= defaultSigner(request, textsIn(spec, 'usages'));
  }
  for (const condition of objectsIn(objectIn(object, 'status'), 'conditions')) fillIn(condition, 'status', 'True');
}

/** v1beta1 does not validate signerName, usages, conditions and certificate. */
function filterError(error: FieldError): FieldError | undefined {
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
    filterError,
  }),
];
