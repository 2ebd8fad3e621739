import { type FieldErrors, type FieldPath, goQuote, isDNS1123Label, isDNS1123Subdomain } from '@tsukube/machinery';

const maxDomain = 253;
const maxSignerName = maxDomain + 1 + (253 + 63 + 1);

/** Signers are named by a domain and a path: example.com/signer. */
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

/** Only the first wrong label is told of: all would be reported with the same value. */
function validateLabels(text: string, check: (label: string) => readonly string[], at: FieldPath, errors: FieldErrors): void {
  const wrong = text.split('.').find((label) => check(label).length > 0);
  if (wrong === undefined) return;
  for (const problem of check(wrong)) errors.invalid(at, text, `validating label ${goQuote(wrong)}: ${problem}`);
}
