import { readFileSync } from 'node:fs';
import { type Signer, signerOf, type VerificationKey, verificationKeys } from '@tsukube/apiserver';
import type { TokenIssuer } from '@tsukube/builtin';
import type { ServeOptions } from '../config/index.ts';
import type { Pki } from '../pki/pki.ts';

/** Signing and verification of service account tokens. */
export interface ServiceAccountTokens {
  readonly issuers: readonly string[];
  readonly apiAudiences: readonly string[];
  readonly keys: readonly VerificationKey[];
  readonly signer: Signer;
  readonly issuer: TokenIssuer;
  /** PEM. */
  readonly privateKey: string;
}

export type SigningKey = { readonly serviceAccount: Pick<Pki['serviceAccount'], 'privateKey'> };

const defaultIssuer = 'https://kubernetes.default.svc';

/** Uses the keys of the files named by flags, otherwise the server's own key. */
export function serviceAccountTokens(options: ServeOptions, { serviceAccount }: SigningKey): ServiceAccountTokens {
  const issuers = options.serviceAccountIssuer.length > 0 ? options.serviceAccountIssuer : [defaultIssuer];
  const apiAudiences = options.apiAudiences.length > 0 ? options.apiAudiences : issuers;
  const { serviceAccountSigningKeyFile: signing, serviceAccountKeyFile: checking } = options;
  const privateKey = signing === undefined ? serviceAccount.privateKey : readFileSync(signing, 'utf8');
  const signer = named(signing, () => signerOf(privateKey));
  const keys = checking.length > 0 ? checking.flatMap(keysIn) : verificationKeys(privateKey);
  const issuer = {
    issuer: issuers[0] ?? defaultIssuer,
    signer,
    apiAudiences,
    maxExpirationSeconds: options.serviceAccountMaxTokenExpiration / 1000,
    extendExpiration: options.serviceAccountExtendTokenExpiration,
  };
  return { issuers, apiAudiences, keys, signer, issuer, privateKey };
}

function keysIn(path: string): readonly VerificationKey[] {
  return named(path, () => verificationKeys(readFileSync(path, 'utf8')));
}

function named<T>(path: string | undefined, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw path === undefined ? error : new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
