import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { signingAlgorithms } from '@tsukube/apiserver';
import { certificateBlocks } from '@tsukube/machinery';
import {
  choice,
  duration,
  inputFile,
  inputFiles,
  optionalChoice,
  optionalText,
  optionalToggle,
  pairs,
  texts,
  toggle,
} from './flag-types.ts';
import type { GivenOptions, OptionName } from './options.ts';
import { UsageError } from './usage-error.ts';

const minute = 60_000;
const hour = 60 * minute;
const group = 'Authentication';

/** Flags of authentication. */
export const authenticationFlags = {
  clientCaFile: inputFile({
    group,
    help: 'CA certificates for client certificates: user from CN, groups from O. Reloaded when it changes.',
  }),
  tokenAuthFile: inputFile({ group, help: 'Bearer tokens as CSV: token,user,uid,"group1,group2".' }),
  anonymousAuth: optionalToggle({
    group,
    fallbackText: 'true, or as in --authentication-config',
    help: 'Accept requests without credentials as system:anonymous, subject to authorization.',
  }),
  enableBootstrapTokenAuth: toggle({
    group,
    fallback: false,
    help: 'Accept the tokens in secrets of type bootstrap.kubernetes.io/token in kube-system.',
  }),
  apiAudiences: texts({
    group,
    fallbackText: 'the issuers of service account tokens',
    help: 'Identifiers of this API: the audiences of a token must include one of them.',
  }),
  serviceAccountIssuer: texts({
    group,
    placeholder: 'URL,…',
    fallbackText: 'https://kubernetes.default.svc',
    help: 'Issuers of service account tokens: the first signs new ones, all are accepted.',
    check: serviceAccountIssuerProblem,
  }),
  serviceAccountSigningKeyFile: inputFile({
    group,
    fallbackText: 'generated on first start',
    help: 'Private key that signs service account tokens, RSA or EC.',
  }),
  serviceAccountKeyFile: inputFiles({
    group,
    fallbackText: 'the public key of the signing key',
    help: 'Keys that service account tokens may be signed with, public or private; each file may hold several.',
  }),
  serviceAccountLookup: toggle({
    group,
    fallback: true,
    help: 'Accept a token of a Secret only as long as the Secret and the ServiceAccount exist.',
  }),
  serviceAccountMaxTokenExpiration: duration({
    group,
    fallback: 0,
    help: 'Maximum lifetime of a service account token; 0 for no limit.',
    check: (value) =>
      value === 0 || (value >= hour && value <= 2 ** 32 * 1000) ? undefined : 'must be between 1 hour and 2^32 seconds',
  }),
  serviceAccountExtendTokenExpiration: toggle({
    group,
    fallback: true,
    help: 'Extend tokens that are projected into pods by default to a year, and only report their use after an hour.',
  }),
  serviceAccountJwksUri: optionalText({
    group,
    placeholder: 'URL',
    fallbackText: '/openid/v1/jwks of this server',
    help: 'URL of the keys in the discovery document of service account tokens.',
    check: (value) => (value === undefined || value.startsWith('https://') ? undefined : 'requires https scheme'),
  }),
  requestheaderClientCaFile: inputFile({
    group,
    help: 'CA certificates of authenticating proxies. Reloaded when it changes.',
  }),
  requestheaderAllowedNames: texts({ group, help: 'Allowed common names of authenticating proxies; empty for any.' }),
  requestheaderUsernameHeaders: texts({ group, help: 'Headers that name the user, usually X-Remote-User.' }),
  requestheaderUidHeaders: texts({
    group,
    help: 'Headers with the UID of the user, usually X-Remote-Uid.',
    check: (names) =>
      names.length === 0 || names.some((name) => name.toLowerCase() === 'x-remote-uid')
        ? undefined
        : 'is set without specifying the standard X-Remote-Uid header',
  }),
  requestheaderGroupHeaders: texts({ group, help: 'Headers that name groups, usually X-Remote-Group.' }),
  requestheaderExtraHeadersPrefix: texts({
    group,
    help: 'Prefixes of headers with extra user information, usually X-Remote-Extra-.',
  }),
  authenticationTokenWebhookConfigFile: inputFile({
    group,
    help: 'Kubeconfig of the token webhook, for bearer tokens that no other authenticator recognizes.',
  }),
  authenticationTokenWebhookCacheTtl: duration({
    group,
    fallback: 2 * minute,
    help: 'How long answers of the token webhook are cached.',
  }),
  authenticationTokenWebhookVersion: choice({
    group,
    of: ['v1beta1', 'v1'],
    fallback: 'v1beta1',
    help: 'Version of the TokenReview sent to the webhook.',
  }),
  authenticationConfig: inputFile({
    group,
    help: 'AuthenticationConfiguration: token issuers and anonymous authentication. Reloaded when it changes.',
  }),
  oidcIssuerUrl: optionalText({
    group,
    placeholder: 'URL',
    help: 'Issuer whose OpenID Connect tokens are accepted.',
    check: (value) => (value === undefined || value.startsWith('https://') ? undefined : 'must be an https URL'),
  }),
  oidcClientId: optionalText({ group, placeholder: 'ID', help: 'Required audience of OpenID Connect tokens.' }),
  oidcCaFile: inputFile({ group, fallbackText: 'CA certificates of the host', help: 'CA certificates of the issuer.' }),
  oidcUsernameClaim: optionalText({ group, placeholder: 'CLAIM', fallbackText: 'sub', help: 'Claim that names the user.' }),
  oidcUsernamePrefix: optionalText({
    group,
    placeholder: 'PREFIX',
    fallbackText: 'the issuer and #, none for email',
    help: 'Prefix of user names; - for none.',
  }),
  oidcGroupsClaim: optionalText({ group, placeholder: 'CLAIM', help: 'Claim that names groups.' }),
  oidcGroupsPrefix: optionalText({ group, placeholder: 'PREFIX', help: 'Prefix of group names.' }),
  oidcSigningAlgs: texts({
    group,
    fallbackText: 'RS256',
    help: `Allowed signing algorithms: ${signingAlgorithms.join(', ')}.`,
    check: (names) => {
      const unknown = names.find((name) => !signingAlgorithms.includes(name));
      return unknown === undefined ? undefined : `has the unknown name ${unknown}`;
    },
  }),
  oidcRequiredClaim: pairs({
    group,
    placeholder: 'CLAIM=VALUE',
    help: 'Required claim and its value; may be repeated.',
  }),
  clientKeyAlgorithm: optionalChoice({
    origin: 'tsukube',
    group,
    of: ['rsa', 'ecdsa'],
    fallbackText: 'rsa, or ecdsa without a data dir',
    help: 'Key of the administrator certificate: RSA 2048, which every client supports, or P-256, which is generated faster.',
  }),
  kubeconfigOut: optionalText({
    origin: 'tsukube',
    group,
    placeholder: 'FILE',
    fallbackText: 'admin.kubeconfig in the data dir',
    help: 'Path of the administrator kubeconfig. Any other existing file is not replaced.',
  }),
};

function serviceAccountIssuerProblem(issuers: readonly string[]): string | undefined {
  const twice = issuers.find((issuer, i) => issuers.indexOf(issuer) !== i);
  if (twice !== undefined) return `has "${twice}", which is already specified`;
  const malformed = issuers.find((issuer) => issuer.includes(':') && !URL.canParse(issuer));
  return malformed === undefined ? undefined : `has "${malformed}", which contains a ':' but is not a valid URL`;
}

/** Rejects contradictory flags, with kube-apiserver's messages. */
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

/** Otherwise any client with a certificate could set the proxy headers. */
function checkOverlap({ clientCaFile, requestheaderClientCaFile, requestheaderAllowedNames = [] }: GivenOptions): void {
  if (clientCaFile === undefined || requestheaderClientCaFile === undefined || requestheaderAllowedNames.length > 0) return;
  const proxies = fingerprints(requestheaderClientCaFile);
  if (!fingerprints(clientCaFile).some((client) => proxies.includes(client))) return;
  throw new UsageError(
    '--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users',
  );
}

/** Unreadable files are reported elsewhere. */
function fingerprints(path: string): readonly string[] {
  try {
    return certificateBlocks(readFileSync(path, 'utf8')).map((pem) => new X509Certificate(pem).fingerprint256);
  } catch {
    return [];
  }
}
