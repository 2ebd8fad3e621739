import { FieldErrors, type JsonObject, mapIn, path, StatusError, textIn, textsIn } from '@tsukube/machinery';
import { familyOf, validateClusterIPs } from './cluster-ip-validation.ts';
import { familiesOf, type ServiceRanges } from './service-ranges.ts';
import { keepsDualStack, sameTexts } from './service-strategy.ts';

const policyPath = path('spec', 'ipFamilyPolicy');

/** Defaults ipFamilyPolicy and ipFamilies from the spec, the old spec and the configured ranges. Throws 422. */
export function initIPFamilyFields(name: string, spec: JsonObject, oldSpec: JsonObject | undefined, ranges: ServiceRanges): void {
  if (spec.type === 'ExternalName' || keepsDualStack(spec, oldSpec)) return;
  spec.ipFamilyPolicy ??= oldSpec?.ipFamilyPolicy ?? (isHeadlessWithoutSelector(spec) ? 'RequireDualStack' : 'SingleStack');
  const errors = new FieldErrors();
  const refuse = () => {
    if (errors.length > 0) throw StatusError.invalid({ group: '', kind: 'Service' }, name, errors);
  };
  validateClusterIPs(spec, oldSpec, errors);
  refuse();
  if (oldSpec) downgradeToSingleStack(spec, oldSpec, errors);
  if (spec.ipFamilyPolicy === 'SingleStack') validateSingle(spec, errors);
  inferFamilies(spec, ranges, errors);
  refuse();
  if (!isHeadlessWithoutSelector(spec)) {
    validateConfigured(spec, ranges, errors);
    refuse();
  }
  completeFamilies(spec, ranges);
}

/** The endpoints of such a service are managed by the user and may be of any family. */
function isHeadlessWithoutSelector(spec: JsonObject): boolean {
  return textIn(spec, 'clusterIP') === 'None' && Object.keys(mapIn(spec, 'selector')).length === 0;
}

/** SingleStack releases the secondary IP and family; omitting them does not. */
function downgradeToSingleStack(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  const fields = [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const;
  for (const [field, title] of fields) {
    const [given, before] = [textsIn(spec, field), textsIn(oldSpec, field)];
    if (spec.ipFamilyPolicy === 'SingleStack') {
      if (given.length > 1 && sameTexts(given, before)) spec[field] = given.slice(0, 1);
    } else if (given.length > 0 && given.length < before.length)
      errors.invalid(policyPath, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${title}`);
  }
}

function validateSingle(spec: JsonObject, errors: FieldErrors): void {
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (textsIn(spec, 'clusterIPs').length === 2)
    errors.invalid(policyPath, spec.ipFamilyPolicy, `${dual} cluster IPs are specified`);
  if (textsIn(spec, 'ipFamilies').length === 2)
    errors.invalid(policyPath, spec.ipFamilyPolicy, `${dual} IP families are specified`);
}

function inferFamilies(spec: JsonObject, ranges: ServiceRanges, errors: FieldErrors): void {
  const ips = textsIn(spec, 'clusterIPs');
  const families = [...textsIn(spec, 'ipFamilies')];
  const value = [...ips];
  for (const [i, ip] of ips.entries()) {
    if (ip === 'None') break;
    if (i < families.length) continue;
    const family = familyOf(ip);
    if (familiesOf(ranges).some((known) => known === family)) families.push(family);
    else errors.invalid(path('spec', 'clusterIPs').index(i), value, `${family} is not configured on this cluster`);
  }
  if (families.length > 0) spec.ipFamilies = families;
}

/** Rejects families that no range is configured for. */
function validateConfigured(spec: JsonObject, ranges: ServiceRanges, errors: FieldErrors): void {
  const known: readonly string[] = familiesOf(ranges);
  if (spec.ipFamilyPolicy === 'RequireDualStack' && known.length < 2)
    errors.invalid(policyPath, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services');
  for (const [i, family] of textsIn(spec, 'ipFamilies').entries()) {
    if (!known.includes(family)) errors.invalid(path('spec', 'ipFamilies').index(i), family, 'not configured on this cluster');
  }
}

function completeFamilies(spec: JsonObject, ranges: ServiceRanges): void {
  const known = familiesOf(ranges);
  const families = [...textsIn(spec, 'ipFamilies')];
  if (families.length === 0) families.push(known[0] ?? 'IPv4');
  const wantsTwo = spec.ipFamilyPolicy !== 'SingleStack' && (isHeadlessWithoutSelector(spec) || known.length === 2);
  if (wantsTwo && families.length === 1) families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
  spec.ipFamilies = families;
}
