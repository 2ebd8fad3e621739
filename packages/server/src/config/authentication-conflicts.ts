import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { certificateBlocks } from '@tsukube/machinery';
import type { GivenOptions, OptionName } from './options.ts';
import { UsageError } from './usage-error.ts';

/** Settings that contradict each other, in kube-apiserver's words. */
export function checkAuthentication(given: GivenOptions): void {
  const oidc = (Object.keys(given) as OptionName[]).some((name) => name.startsWith('oidc') && isSet(given[name]));
  if (oidc && given.authenticationConfig !== undefined)
    throw new UsageError('authentication-config file and oidc-* flags are mutually exclusive');
  if (oidc && (!given.oidcIssuerUrl || !given.oidcClientId))
    throw new UsageError('oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set');
  if (given.serviceAccountKeyFile?.length && given.serviceAccountSigningKeyFile === undefined)
    throw new UsageError(
      '--service-account-key-file needs --service-account-signing-key-file: tokens are signed with another key otherwise',
    );
  checkOverlap(given);
}

function isSet(value: GivenOptions[OptionName]): boolean {
  return value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0);
}

/** Otherwise everyone with a certificate could claim to be anyone. */
function checkOverlap({ clientCaFile, requestheaderClientCaFile, requestheaderAllowedNames = [] }: GivenOptions): void {
  if (clientCaFile === undefined || requestheaderClientCaFile === undefined || requestheaderAllowedNames.length > 0) return;
  const proxies = fingerprints(requestheaderClientCaFile);
  if (!fingerprints(clientCaFile).some((client) => proxies.includes(client))) return;
  throw new UsageError(
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

/** Of a file that cannot be read, somebody else complains. */
function fingerprints(path: string): readonly string[] {
  try {
    return certificateBlocks(readFileSync(path, 'utf8')).map((pem) => new X509Certificate(pem).fingerprint256);
  } catch {
    return [];
  }
}
