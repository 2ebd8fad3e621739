import {
  bearerAuthenticator,
  cachedTokenAuthenticator,
  certificateAuthenticator,
  IncomingRequest,
  parseCertificatePool,
  signerOf,
  type TokenAuthenticator,
  unionAuthenticator,
  userFromCertificate,
  verificationKeys,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';
import { type BoundKind, boundTokens, type FindObject } from '@tsukube/builtin';
import { newKey } from '@tsukube/machinery/pki';
import type { ClientConnection } from '@tsukube/transport';
import { expect, it } from 'vitest';
import { newAuthority, newCertificate } from './testing.ts';

const issuer = 'https://kubernetes.default.svc';
const key = newKey().pem;
const now = Math.floor(Date.now() / 1000);
const account = { namespace: 'default', serviceaccount: { name: 'robot', uid: 'u' } };
const token = signerOf(key).sign({
  aud: [issuer],
  exp: now + 3600,
  iat: now,
  iss: issuer,
  'kubernetes.io': account,
  nbf: now,
  sub: 'x',
});

const authority = newAuthority('speed');
const { certificate } = newCertificate(authority, { commonName: 'mia', organizations: ['dev'] });
const der = Buffer.from(certificate.replace(/-----[^-]+-----|\s/g, ''), 'base64');
const pool = parseCertificatePool([authority.pem]);

let signatures = 0;
const find = ((_kind: BoundKind) => ({ uid: 'u', deletedAt: undefined })) as unknown as FindObject;
const bound = boundTokens({ keys: verificationKeys(key), issuers: [issuer], apiAudiences: [issuer] }, find, Date.now);
const counted: TokenAuthenticator = (shown, audiences) => {
  signatures++;
  return bound(shown, audiences);
};
const cached = cachedTokenAuthenticator(counted, { successTtlMs: 10_000, failureTtlMs: 0, keepsRefusals: true });
const authenticator = withAuthenticatedGroup(
  unionAuthenticator([certificateAuthenticator(() => pool, userFromCertificate), bearerAuthenticator(cached, [issuer])]),
);

function requestOn(connection: ClientConnection, authorization?: string): IncomingRequest {
  const header = (name: string) => (name === 'authorization' ? authorization : undefined);
  return new IncomingRequest({ method: 'GET', url: '/api', header, connection } as never, 0);
}

function connectionWith(certificates: readonly Buffer[]): ClientConnection {
  return {
    remoteAddress: '',
    clientCertificates: () => certificates,
    hasTrustedCertificate: certificates.length > 0,
    isUrgent: false,
    goAway() {},
    retire() {},
  };
}

/** Microseconds per call, the fastest of several rounds, to exclude other load of the machine. */
function cost(make: () => IncomingRequest): number {
  const rounds = Array.from({ length: 7 }, () => {
    const requests = Array.from({ length: 2000 }, make);
    const began = process.hrtime.bigint();
    for (const request of requests) authenticator(request);
    return Number(process.hrtime.bigint() - began) / 1000 / requests.length;
  });
  return Math.min(...rounds);
}

it('a certificate is verified once per connection', () => {
  const connection = connectionWith([der]);
  expect(cost(() => requestOn(connection))).toBeLessThan(5);
});

it('the signature of a token is verified once', () => {
  const connection = connectionWith([]);
  const same = cost(() => requestOn(connection, `Bearer ${token}`));
  const other = cost(() => requestOn(connectionWith([]), `Bearer ${token}`));
  expect(signatures).toBe(1);
  expect(same).toBeLessThan(5);
  expect(other).toBeLessThan(20);
});
