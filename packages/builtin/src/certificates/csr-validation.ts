import {
  type FieldErrors,
  type FieldPath,
  goQuote,
  isDNS1123Label,
  isDNS1123Subdomain,
  type JsonObject,
  objectIn,
  path,
  repeats,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateConditionChanges, validateCsrConditions } from './csr-conditions.ts';
import { issuedCertificateProblem } from './pem.ts';
import { signingRequestProblem } from './signing-request.ts';

const specPath = path('spec');
const legacySigner = 'kubernetes.io/legacy-unknown';
const minExpirationSeconds = 600;

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

/** The changes that an update may make, by subresource. */
export interface AllowedChanges {
  readonly mayDecide?: boolean;
  readonly mayIssue?: boolean;
}

export function validateCsr(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const request = textIn(spec, 'request');
  const problem = signingRequestProblem(Buffer.from(request, 'base64').toString('latin1'));
  if (problem !== undefined) errors.invalid(specPath.child('request'), spec.request ?? null, problem);
  validateUsages(textsIn(spec, 'usages'), textsIn(objectIn(old, 'spec'), 'usages'), errors);
  validateSigner(textIn(spec, 'signerName'), textIn(objectIn(old, 'spec'), 'signerName'), errors);
  const expiration = spec.expirationSeconds;
  if (expiration !== undefined && Number(expiration) < minExpirationSeconds)
    errors.invalid(
      specPath.child('expirationSeconds'),
      expiration,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
  validateCsrConditions(object, old, errors);
  if (!old || certificateOf(object) !== certificateOf(old)) validateCertificate(object, errors);
}

export function validateCsrUpdate(object: JsonObject, old: JsonObject, errors: FieldErrors, allowed: AllowedChanges): void {
  validateCsr(object, old, errors);
  validateConditionChanges(object, old, allowed.mayDecide ?? false, errors);
  if (certificateOf(object) === certificateOf(old)) return;
  const at = path('status', 'certificate');
  if (!allowed.mayIssue) errors.forbidden(at, 'updates may not set certificate content');
  else if (certificateOf(old) !== '') errors.forbidden(at, 'updates may not modify existing certificate content');
}

function certificateOf(object: JsonObject): string {
  return textIn(objectIn(object, 'status'), 'certificate');
}

function validateCertificate(object: JsonObject, errors: FieldErrors): void {
  const problem = issuedCertificateProblem(certificateOf(object));
  if (problem !== undefined) errors.invalid(path('status', 'certificate'), '<certificate data>', problem);
}

/** Ratcheting: unknown or duplicate usages are accepted if the old object has such. */
function validateUsages(given: readonly string[], old: readonly string[], errors: FieldErrors): void {
  const at = specPath.child('usages');
  if (given.length === 0) errors.required(at);
  if (old.every((usage) => usages.includes(usage))) {
    for (const [i, usage] of given.entries()) if (!usages.includes(usage)) errors.notSupported(at.index(i), usage, usages);
  }
  if (new Set(old).size < old.length) return;
  repeats(given).forEach((isRepeated, i) => {
    if (isRepeated) errors.duplicate(at.index(i), given[i]);
  });
}

function validateSigner(name: string, old: string, errors: FieldErrors): void {
  const at = specPath.child('signerName');
  if (name === legacySigner && old !== legacySigner)
    errors.invalid(at, name, 'the legacy signerName is not allowed via this API version');
  else validateSignerName(name, at, errors);
}

const maxDomain = 253;
const maxSignerName = maxDomain + 1 + (253 + 63 + 1);

/** A signer name is DOMAIN/PATH: example.com/signer. */
export function validateSignerName(name: string, at: FieldPath, errors: FieldErrors): void {
  const [domain = '', path = '', ...more] = name.split('/');
  if (name === '') {
    errors.required(at);
    return;
  }
  if (!name.includes('/') || more.length > 0) {
    errors.invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (Buffer.byteLength(domain) > maxDomain) errors.tooLong(at, maxDomain);
  validateLabels(domain, isDNS1123Label, at, errors);
  if (!domain.includes('.')) errors.invalid(at, domain, 'should be a domain with at least two segments separated by dots');
  validateLabels(path, isDNS1123Subdomain, at, errors);
  if (Buffer.byteLength(name) > maxSignerName) errors.tooLong(at, maxSignerName);
}

/** Reports only the first invalid label: all have the same value. */
function validateLabels(text: string, check: (label: string) => readonly string[], at: FieldPath, errors: FieldErrors): void {
  const wrong = text.split('.').find((label) => check(label).length > 0);
  if (wrong === undefined) return;
  for (const problem of check(wrong)) errors.invalid(at, text, `validating label ${goQuote(wrong)}: ${problem}`);
}
