import {
  aggregateMessage,
  FieldErrors,
  type JsonObject,
  mapIn,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  objectIn,
  path,
  stringifyJson,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import {
  configurationType,
  decodeConfiguration,
  stringFieldType,
  stringListFieldType,
  unregistered,
} from '../common/configuration.ts';
import {
  isLevel,
  isVersion,
  type LevelVersion,
  levelMessage,
  type PolicyMode,
  policyModes,
  type SecurityLevel,
  type SecurityPolicy,
  versionMessage,
} from './policy.ts';

/** A PodSecurityConfiguration. */
export interface PodSecurityConfiguration {
  /** For namespaces without labels. */
  readonly defaults: SecurityPolicy;
  readonly exemptions: Exemptions;
}

export interface Exemptions {
  readonly usernames: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
  readonly runtimeClasses: ReadonlySet<string>;
}

const group = 'pod-security.admission.config.k8s.io';
const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`);

/** Decodes strictly and validates. Throws with the messages of kube-apiserver. */
export function podSecurityConfiguration(given: JsonObject | undefined): PodSecurityConfiguration {
  const decoded = given ? decode(given) : {};
  const defaults = defaultsOf(mapIn(decoded, 'defaults'));
  const exemptions = objectIn(decoded, 'exemptions');
  validateExemptions(exemptions);
  const set = (field: keyof Exemptions) => new Set(textsIn(exemptions, field));
  return {
    defaults,
    exemptions: { usernames: set('usernames'), namespaces: set('namespaces'), runtimeClasses: set('runtimeClasses') },
  };
}

const types = [
  configurationType('PodSecurityConfiguration', {
    apiVersion: stringFieldType,
    kind: stringFieldType,
    defaults: { is: 'object', ref: 'v1.PodSecurityDefaults' },
    exemptions: { is: 'object', ref: 'v1.PodSecurityExemptions' },
  }),
  configurationType(
    'PodSecurityDefaults',
    Object.fromEntries(policyModes.flatMap((mode) => [mode, `${mode}-version`]).map((field) => [field, stringFieldType])),
  ),
  configurationType('PodSecurityExemptions', {
    usernames: stringListFieldType,
    namespaces: stringListFieldType,
    runtimeClasses: stringListFieldType,
  }),
] as const;

const scheme = 'k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31';

function decode(given: JsonObject): JsonObject {
  const [apiVersion, kind] = [textIn(given, 'apiVersion'), textIn(given, 'kind')];
  if (kind === '') throw new Error(`Object 'Kind' is missing in '${stringifyJson(given)}'`);
  if (apiVersion === '') throw new Error(`Object 'apiVersion' is missing in '${stringifyJson(given)}'`);
  if (kind !== 'PodSecurityConfiguration' || !versions.includes(apiVersion))
    throw new Error(unregistered(kind, apiVersion, scheme));
  return decodeConfiguration(given, types);
}

function defaultsOf(given: Readonly<Record<string, string>>): SecurityPolicy {
  const problems: string[] = [];
  const read = (mode: PolicyMode): LevelVersion => {
    const level = given[mode] || 'privileged';
    const version = given[`${mode}-version`] || 'latest';
    if (!isLevel(level)) problems.push(`${mode}: ${levelMessage}`);
    if (!isVersion(version)) problems.push(`${mode}-version: ${versionMessage}`);
    return { level: level as SecurityLevel, version };
  };
  const policy: SecurityPolicy = { enforce: read('enforce'), audit: read('audit'), warn: read('warn') };
  if (problems.length > 0) throw new Error(`PodSecurity configuration error: ${aggregateMessage(problems)}`);
  return policy;
}

type Validator = (value: string) => readonly string[];

const exemptionRules: readonly (readonly [keyof Exemptions, Validator])[] = [
  ['namespaces', (name) => nameIsDNSLabel(name, false)],
  ['runtimeClasses', (name) => nameIsDNSSubdomain(name, false)],
  ['usernames', (name) => (name === '' ? ['username must not be empty'] : [])],
];

function validateExemptions(exemptions: JsonObject | undefined): void {
  const errors = new FieldErrors();
  for (const [field, validate] of exemptionRules) {
    const seen = new Set<string>();
    for (const [i, value] of textsIn(exemptions, field).entries()) {
      const at = path('exemptions', field).index(i);
      const problems = validate(value);
      if (problems.length > 0) errors.invalid(at, value, problems.join(', '));
      else if (seen.has(value)) errors.duplicate(at, value);
      else seen.add(value);
    }
  }
  if (errors.length > 0) throw new Error(`PodSecurity invalid: ${errors}`);
}
