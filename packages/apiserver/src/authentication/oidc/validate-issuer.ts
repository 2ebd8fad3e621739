import { X509Certificate } from 'node:crypto';
import type { FieldErrors, FieldPath } from '@tsukube/machinery';
import { trimRight } from '@tsukube/machinery';
import type { IssuerConfiguration } from './configuration.ts';

export function validateIssuer(
  issuer: IssuerConfiguration,
  disallowed: readonly string[],
  at: FieldPath,
  errors: FieldErrors,
): void {
  const { url, discoveryURL = '' } = issuer;
  if (!url) errors.required(at.child('url'));
  else validateUrl(url, disallowed, at.child('url'), errors);
  if (discoveryURL !== '') {
    const field = at.child('discoveryURL');
    if (url && trimmed(url) === trimmed(discoveryURL))
      errors.invalid(field, discoveryURL, 'discoveryURL must be different from URL');
    validateUrl(discoveryURL, [], field, errors);
  }
  validateAudiences(issuer, at, errors);
  validateAuthority(issuer.certificateAuthority ?? '', at.child('certificateAuthority'), errors);
  validateEgress(issuer.egressSelectorType ?? '', at.child('egressSelectorType'), errors);
}

function trimmed(url: string): string {
  return trimRight(url, '/');
}

function validateUrl(text: string, disallowed: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (disallowed.includes(text)) {
    errors.invalid(at, text, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') errors.invalid(at, text, 'URL scheme must be https');
  if (url?.username || url?.password) errors.invalid(at, text, 'URL must not contain a username or password');
  if (url?.search) errors.invalid(at, text, 'URL must not contain a query');
  if (url?.hash) errors.invalid(at, text, 'URL must not contain a fragment');
}

function validateAudiences(
  { audiences, audienceMatchPolicy = '' }: IssuerConfiguration,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const field = at.child('audiences');
  if (!audiences?.length) return void errors.required(field, `at least one ${field} is required`);
  for (const [i, audience] of audiences.entries()) {
    if (audience === '') errors.required(field.index(i));
    if (audiences.indexOf(audience) < i) errors.duplicate(field.index(i), audience);
  }
  const policy = at.child('audienceMatchPolicy');
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences');
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be empty or MatchAny for single audience');
}

function validateAuthority(pem: string, at: FieldPath, errors: FieldErrors): void {
  if (pem === '') return;
  try {
    new X509Certificate(pem);
  } catch {
    errors.invalid(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates');
  }
}

/** There is one way out of this process. */
function validateEgress(type: string, at: FieldPath, errors: FieldErrors): void {
  if (type !== '') errors.invalid(at, type, 'egress selection is not configured');
}
