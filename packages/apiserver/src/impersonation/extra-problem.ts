import { goQuote, isDNS1123Subdomain } from '@tsukube/machinery';

const pathCharacters = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** What is wrong with extras that the narrow ways of impersonation do not take. */
export function extraProblem(extra: ReadonlyMap<string, readonly string[]>): string | undefined {
  for (const [key, values] of extra) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const problem = keyProblem(key);
    if (problem !== undefined)
      return `impersonating an invalid key in extra is not allowed: extra.key: Invalid value: ${problem}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

/** Keys begin with a domain. */
function keyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [host, path] = [key.slice(0, slash), key.slice(slash + 1)];
  if (slash <= 0 || path === '') return `${goQuote(key)}: must be a domain-prefixed path (such as "acme.io/foo")`;
  const [problem] = isDNS1123Subdomain(host);
  if (problem !== undefined) return `${goQuote(host)}: ${problem}`;
  if (pathCharacters.test(path)) return undefined;
  return `${goQuote(path)}: Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`;
}
