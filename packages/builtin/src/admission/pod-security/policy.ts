import { FieldErrors, path } from '@tsukube/machinery';

/** Levels from the least to the most restrictive. */
export const securityLevels = ['privileged', 'baseline', 'restricted'] as const;
export type SecurityLevel = (typeof securityLevels)[number];

export interface LevelVersion {
  readonly level: SecurityLevel;
  /** `latest` or `v1.x`. */
  readonly version: string;
}

export const policyModes = ['enforce', 'audit', 'warn'] as const;
export type PolicyMode = (typeof policyModes)[number];

/** The policy of a namespace. */
export type SecurityPolicy = Readonly<Record<PolicyMode, LevelVersion>>;

export interface NamespacePolicy {
  /** Where labels are invalid: `restricted:latest` for enforce, privileged for audit and warn. */
  readonly policy: SecurityPolicy;
  readonly errors: FieldErrors;
}

/** Prefix of the labels of namespaces and of audit annotations. */
export const labelPrefix = 'pod-security.kubernetes.io/';

export const levelMessage = `must be one of ${securityLevels.join(', ')}`;
export const versionMessage = 'must be "latest" or "v1.x"';

const versionForm = /^v1\.(0|[1-9][0-9]*)$/;
const maxInt64 = 2n ** 63n - 1n;

export function isLevel(text: string): text is SecurityLevel {
  return securityLevels.some((level) => level === text);
}

export function isVersion(text: string): boolean {
  if (text === 'latest') return true;
  const digits = versionForm.exec(text)?.[1];
  return digits !== undefined && BigInt(digits) <= maxInt64;
}

/** The minor version; Infinity for `latest`. */
export function minorOf(version: string): number {
  return version === 'latest' ? Number.POSITIVE_INFINITY : Number(version.slice('v1.'.length));
}

export function levelVersionText({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

export function isSameLevel(a: LevelVersion, b: LevelVersion): boolean {
  return a.level === b.level && a.version === b.version;
}

export function isStricter(a: SecurityLevel, b: SecurityLevel): boolean {
  return securityLevels.indexOf(a) > securityLevels.indexOf(b);
}

export function isFullyPrivileged({ enforce, audit, warn }: SecurityPolicy): boolean {
  return enforce.level === 'privileged' && audit.level === 'privileged' && warn.level === 'privileged';
}

/** Whether two policies have the same effect: versions of the privileged level do not differ. */
export function hasSameEffect(a: SecurityPolicy, b: SecurityPolicy): boolean {
  return policyModes.every(
    (mode) => isSameLevel(a[mode], b[mode]) || (a[mode].level === 'privileged' && b[mode].level === 'privileged'),
  );
}

type Labels = Readonly<Record<string, string>>;

/** The label that sets the level of a mode, or its version. */
export function labelOf(mode: PolicyMode, part: 'level' | 'version'): string {
  return part === 'level' ? labelPrefix + mode : `${labelPrefix}${mode}-version`;
}

/** The policy of a namespace with these labels. `defaults` apply where there is none. */
export function policyOf(labels: Labels, defaults: SecurityPolicy): NamespacePolicy {
  const errors = new FieldErrors();
  const enforce = labelled('enforce', labels, defaults, errors);
  const audit = labelled('audit', labels, defaults, errors);
  const warn = labelled('warn', labels, defaults, errors);
  return { policy: { enforce, audit, warn: atLeastEnforced(warn, enforce, labels) }, errors };
}

function labelled(mode: PolicyMode, labels: Labels, defaults: SecurityPolicy, errors: FieldErrors): LevelVersion {
  let { level, version } = defaults[mode];
  const given = labelValue(labels, labelOf(mode, 'level'));
  if (given !== undefined && isLevel(given)) level = given;
  else if (given !== undefined) {
    errors.invalid(path('metadata', 'labels').key(labelOf(mode, 'level')), given, levelMessage);
    level = mode === 'enforce' ? 'restricted' : 'privileged';
  }
  const givenVersion = labelValue(labels, labelOf(mode, 'version'));
  if (givenVersion !== undefined && isVersion(givenVersion)) version = givenVersion;
  else if (givenVersion !== undefined) {
    errors.invalid(path('metadata', 'labels').key(labelOf(mode, 'version')), givenVersion, versionMessage);
    version = 'latest';
  }
  return { level, version };
}

/** Without a warn label, violations of a stricter enforce label also give warnings. */
function atLeastEnforced(warn: LevelVersion, enforce: LevelVersion, labels: Labels): LevelVersion {
  const enforced = labelValue(labels, labelOf('enforce', 'level'));
  if (enforced === undefined || !isLevel(enforced)) return warn;
  if (labelValue(labels, labelOf('warn', 'level')) !== undefined || !isStricter(enforce.level, warn.level)) return warn;
  const keepsVersion = labelValue(labels, labelOf('warn', 'version')) !== undefined;
  return { level: enforce.level, version: keepsVersion ? warn.version : enforce.version };
}

function labelValue(labels: Labels, label: string): string | undefined {
  return Object.hasOwn(labels, label) ? labels[label] : undefined;
}
