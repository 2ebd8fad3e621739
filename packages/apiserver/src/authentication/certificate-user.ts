import { createHash } from 'node:crypto';
import { MalformedDer, type NameAttribute, nameAttributes, nameValues, readDistinguishedName } from '@tsukube/machinery';
import { readCertificate } from '@tsukube/machinery/pki';
import { type FailedAuthentication, refused } from './authenticator.ts';

export interface CertificateUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** OID 1.3.6.1.4.1.57683.2, which Kubernetes defines for the UID. */
const userId = '2b0601040183c25302';

/**
 * The user of a client certificate, as in Kubernetes: the last common name, with the organizations as groups. Read from DER,
 * because textual forms of a subject can be forged with unescaped characters. Undefined without a readable common name.
 */
export function userFromCertificate(der: Buffer): CertificateUser | FailedAuthentication | undefined {
  const attributes = subjectAttributes(der);
  const names = nameValues(attributes, nameAttributes.commonName);
  const groups = nameValues(attributes, nameAttributes.organization);
  const uids = nameValues(attributes, userId);
  const name = names?.at(-1);
  if (!name || groups === undefined) return undefined;
  if (uids === undefined) return refused('unable to parse UID into a string');
  if (uids.length > 1) return refused(`expected 1 UID, but found multiple: [${uids.join(' ')}]`);
  if (uids[0] === '') return refused('UID cannot be an empty string');
  return {
    name,
    ...(uids[0] !== undefined && { uid: uids[0] }),
    groups,
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${sha256(der)}`] },
  };
}

/** The last common name, as in Go; undefined if unreadable. */
export function commonNameOf(der: Buffer): string | undefined {
  return nameValues(subjectAttributes(der), nameAttributes.commonName)?.at(-1);
}

function subjectAttributes(der: Buffer): readonly NameAttribute[] {
  try {
    return readDistinguishedName(readCertificate(der).subject);
  } catch (error) {
    if (error instanceof MalformedDer) return [];
    throw error;
  }
}

function sha256(der: Buffer): string {
  return createHash('sha256').update(der).digest('hex');
}
