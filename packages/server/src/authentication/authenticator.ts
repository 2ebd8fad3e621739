import {
  type Authenticator,
  anonymousAuthenticator,
  bearerAuthenticator,
  type CertificatePool,
  certificateAuthenticator,
  firstOf,
  firstTokenOf,
  type TokenAuthenticator,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';
import type { ServeOptions } from '../config/index.ts';
import { userFromCertificate } from '../pki/index.ts';
import { readTokenFile } from './token-file.ts';

export interface AuthenticatorParts {
  readonly options: ServeOptions;
  /** Vouch for client certificates. */
  readonly clientAuthorities: () => CertificatePool;
}

/** Everyone who can find out who sends a request, in the order in which they are asked. */
export function requestAuthenticator(parts: AuthenticatorParts): Authenticator {
  const tokens = tokenAuthenticator(parts);
  const proofs = firstOf([
    certificateAuthenticator(parts.clientAuthorities, userFromCertificate),
    bearerAuthenticator(tokens, []),
  ]);
  const strangers = anonymousAuthenticator();
  return orElse(withAuthenticatedGroup(proofs), strangers);
}

/** Who has shown nothing may still be a guest; who has shown something that is not valid is not. */
function orElse(authenticator: Authenticator, other: Authenticator): Authenticator {
  return (request) => {
    const verdict = authenticator(request);
    if (verdict instanceof Promise) return verdict.then((known) => known ?? other(request));
    return verdict ?? other(request);
  };
}

function tokenAuthenticator({ options }: AuthenticatorParts): TokenAuthenticator {
  const authenticators: TokenAuthenticator[] = [];
  if (options.tokenAuthFile !== undefined) {
    const users = readTokenFile(options.tokenAuthFile);
    authenticators.push((token) => {
      const user = users.get(token);
      return user && { user };
    });
  }
  return firstTokenOf(authenticators);
}
