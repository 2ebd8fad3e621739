import { type FieldErrors, type JsonObject, parseAddress, path, textIn, textsIn, validateLegacyIP } from '@tsukube/machinery';
import { validateEnum } from '../../common/field-validation.ts';
import { isHeadless } from './service-strategy.ts';

const clusterIPsPath = path('spec', 'clusterIPs');
const familiesPath = path('spec', 'ipFamilies');
const policyPath = path('spec', 'ipFamilyPolicy');
const families = ['IPv4', 'IPv6'];
const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** Validates clusterIPs, ipFamilies and ipFamilyPolicy, each alone and together. */
export function validateClusterIPs(spec: JsonObject, oldSpec: JsonObject | undefined, errors: FieldErrors): void {
  if (spec.type === 'ExternalName') return;
  validateFirstIP(spec, errors);
  validateFamilies(textsIn(spec, 'ipFamilies'), errors);
  const policy = spec.ipFamilyPolicy;
  validateEnum(policy, policies, policyPath, errors);
  const ips = textsIn(spec, 'clusterIPs');
  const wellFormed = validateEach(ips, new Set(textsIn(oldSpec, 'clusterIPs')), errors);
  if (ips.length > 2) errors.invalid(clusterIPsPath, [...ips], 'may only hold up to 2 values');
  if (!wellFormed) return;
  if (ips.length > 1 && new Set(ips.map(familyOf)).size < 2)
    errors.invalid(clusterIPsPath, [...ips], 'may specify no more than one IP for each IP family');
  if (!isHeadless(spec)) matchFamilies(ips, textsIn(spec, 'ipFamilies'), errors);
}

export function familyOf(ip: string): string {
  return parseAddress(ip)?.family ?? 'unknown';
}

function validateFirstIP(spec: JsonObject, errors: FieldErrors): void {
  const ip = textIn(spec, 'clusterIP');
  const ips = textsIn(spec, 'clusterIPs');
  if (ip === '') {
    if (ips.length > 0) errors.invalid(clusterIPsPath, [...ips], 'must be empty when `clusterIP` is not specified');
  } else if (ips.length === 0) errors.required(clusterIPsPath);
  else if (ips[0] !== ip) errors.invalid(clusterIPsPath, [...ips], 'first value must match `clusterIP`');
}

function validateFamilies(given: readonly string[], errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, family] of given.entries()) {
    if (!families.includes(family)) errors.notSupported(familiesPath.index(i), family, families);
    if (seen.has(family)) errors.duplicate(familiesPath.index(i), family);
    seen.add(family);
  }
}

/** True if every entry is an IP address, or the list is `None`. */
function validateEach(ips: readonly string[], before: ReadonlySet<string>, errors: FieldErrors): boolean {
  const found = errors.length;
  for (const [i, ip] of ips.entries()) {
    if (i > 0 || ip !== 'None') validateLegacyIP(ip, clusterIPsPath.index(i), errors, before);
    else if (ips.length > 1) errors.invalid(clusterIPsPath, [...ips], "'None' must be the first and only value");
  }
  return errors.length === found;
}

function matchFamilies(ips: readonly string[], given: readonly string[], errors: FieldErrors): void {
  for (const [i, ip] of ips.entries()) {
    const family = given[i];
    if (family === undefined) return;
    if (families.includes(family) && familyOf(ip) !== family)
      errors.invalid(clusterIPsPath.index(i), ip, `expected an ${family} value as indicated by \`ipFamilies[${i}]\``);
  }
}
