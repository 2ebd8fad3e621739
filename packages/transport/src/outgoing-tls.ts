import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity as matchesNames, type PeerCertificate } from 'node:tls';

/** Outgoing TLS connections verify certificates as Go's crypto/x509 does. */
export type TrustOptions = Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'allowPartialTrustChain'>;

/**
 * TLS options of an outgoing connection. Every certificate of the bundle is a trust anchor: a root, an intermediate or the serving
 * certificate itself (Node 20.18 and later). Without a bundle, Node's root certificates are used.
 */
export function trustOptions(bundle: string | Buffer | undefined): TrustOptions {
  return { ...(bundle !== undefined && { ca: bundle }), allowPartialTrustChain: true, checkServerIdentity };
}

/** Only subject alternative names count, as in Go; Node would fall back to the common name. */
function checkServerIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  return matchesNames(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
}

const verificationCodes: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

export interface FailedHandshake {
  /** Code of Node's error. */
  readonly code: string;
  readonly host: string;
  /** Absent if the handshake failed before the certificate arrived. */
  readonly certificate: X509Certificate | undefined;
  readonly now: number;
}

/** Go's error text for a failed certificate verification, checked in Go's order; undefined for other errors. */
export function verificationProblem(failed: FailedHandshake): string | undefined {
  if (!verificationCodes.has(failed.code)) return undefined;
  const { certificate, host, now } = failed;
  const problem =
    (certificate && (validityProblem(certificate, now) ?? nameProblem(certificate, host))) ?? problemOf(failed.code);
  return `tls: failed to verify certificate: x509: ${problem}`;
}

function problemOf(code: string): string {
  if (code === 'INVALID_PURPOSE') return 'certificate specifies an incompatible key usage';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'certificate has expired or is not yet valid';
  return 'certificate signed by unknown authority';
}

function validityProblem({ validFrom, validTo }: X509Certificate, now: number): string | undefined {
  const [from, until] = [Date.parse(validFrom), Date.parse(validTo)];
  if (now >= from && now <= until) return undefined;
  const limit = now < from ? `before ${seconds(from)}` : `after ${seconds(until)}`;
  return `certificate has expired or is not yet valid: current time ${seconds(now)} is ${limit}`;
}

function nameProblem(certificate: X509Certificate, host: string): string | undefined {
  const { dns, ip } = alternativeNames(certificate);
  if (isIP(host) !== 0) {
    if (certificate.checkIP(host) !== undefined) return undefined;
    if (ip.length === 0) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
    return `certificate is valid for ${ip.join(', ')}, not ${host}`;
  }
  if (certificate.checkHost(host, { subject: 'never' }) !== undefined) return undefined;
  if (dns.length === 0) return `certificate is not valid for any names, but wanted to match ${host}`;
  return `certificate is valid for ${dns.join(', ')}, not ${host}`;
}

function alternativeNames({ subjectAltName = '' }: X509Certificate): { dns: readonly string[]; ip: readonly string[] } {
  const names = subjectAltName.split(', ');
  const withPrefix = (prefix: string) => names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  return { dns: withPrefix('DNS:'), ip: withPrefix('IP Address:') };
}

function seconds(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
