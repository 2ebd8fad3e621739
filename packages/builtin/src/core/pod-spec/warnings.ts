import {
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  quantityValue,
  textIn,
  textsIn,
  warningsForIP,
} from '@tsukube/machinery';
import { nodeLabelDeprecation } from '../../common/node-selector.ts';
import { specOf } from '../../common/objects.ts';
import { containerFields } from './defaults.ts';
import { overlapWarnings, portWarnings } from './overlap-warnings.ts';

const oldAnnotations: Readonly<Record<string, string>> = {
  'scheduler.alpha.kubernetes.io/critical-pod': 'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

/** Volume source, its name in the message, deprecation message. */
const deprecatedVolumes: readonly (readonly [string, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Warnings for valid but likely mistaken settings. `at` is the path of the template; undefined for a pod. */
export function podSpecWarnings(spec: JsonObject, metadata: JsonObject, at?: FieldPath): readonly string[] {
  const specPath = at ? at.child('spec') : path('spec');
  const annotations = at ? at.child('metadata', 'annotations') : path('metadata', 'annotations');
  return [
    ...nodeWarnings(spec, specPath),
    ...spreadWarnings(spec, specPath.child('topologySpreadConstraints')),
    ...annotationWarnings(mapIn(metadata, 'annotations'), annotations),
    ...volumeWarnings(spec, specPath.child('volumes')),
    ...overlapWarnings(objectsIn(spec, 'volumes')),
    ...referenceWarnings(spec, specPath),
    ...fractionWarnings(mapIn(spec, 'overhead'), specPath.child('overhead')),
    ...seccompWarnings(spec, mapIn(metadata, 'annotations'), annotations),
    ...containerWarnings(spec, specPath),
    ...portWarnings(spec, specPath),
    ...graceWarnings(spec, specPath),
    ...affinityWarnings(spec, specPath.child('affinity')),
    ...addressWarnings(spec, specPath),
  ];
}

/** Callers warn on create and when the generation changes. */
export function podTemplateWarnings(template: JsonObject | undefined, at: FieldPath): readonly string[] {
  if (!template) return [];
  return podSpecWarnings(specOf(template), objectIn(template, 'metadata') ?? {}, at);
}

function annotationWarnings(annotations: Readonly<Record<string, string>>, at: FieldPath): readonly string[] {
  return Object.keys(oldAnnotations)
    .filter((key) => Object.hasOwn(annotations, key))
    .map((key) => `${at.key(key)}: ${oldAnnotations[key]}`);
}

function volumeWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  return objectsIn(spec, 'volumes').flatMap((volume, i) =>
    deprecatedVolumes
      .filter(([source]) => volume[source] !== undefined)
      .map(([, name, fate]) => `${at.index(i).child(name)}: ${fate}`),
  );
}

function referenceWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const warnings = [
    ...duplicates(objectsIn(spec, 'hostAliases'), 'ip', at.child('hostAliases')),
    ...duplicates(objectsIn(spec, 'imagePullSecrets'), 'name', at.child('imagePullSecrets')),
  ];
  for (const [i, secret] of objectsIn(spec, 'imagePullSecrets').entries())
    if (textIn(secret, 'name') === '')
      warnings.push(`${at.child('imagePullSecrets').index(i).child('name')}: invalid empty name ""`);
  return warnings;
}

function duplicates(items: readonly JsonObject[], field: string, at: FieldPath): string[] {
  const seen = new Set<string>();
  return items.flatMap((item, i) => {
    const value = textIn(item, field);
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [`${at.index(i).child(field)}: duplicate ${field} ${JSON.stringify(value)}`];
  });
}

function fractionWarnings(list: Readonly<Record<string, string>>, at: FieldPath): readonly string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const text = list[name];
    if (text === undefined || quantityValue(parseQuantity(text), -3) % 1000n === 0n) return [];
    return [`${at.key(name)}: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`];
  });
}

function seccompWarnings(spec: JsonObject, annotations: Readonly<Record<string, string>>, at: FieldPath): readonly string[] {
  const message = 'non-functional in v1.27+; use the "seccompProfile" field instead';
  const owners: [string, JsonObject][] = [['seccomp.security.alpha.kubernetes.io/pod', spec]];
  for (const field of containerFields)
    for (const container of objectsIn(spec, field))
      owners.push([`container.seccomp.security.alpha.kubernetes.io/${textIn(container, 'name')}`, container]);
  return owners
    .filter(([key, owner]) => Object.hasOwn(annotations, key) && !objectIn(owner, 'securityContext')?.seccompProfile)
    .map(([key]) => `${at.key(key)}: ${message}`);
}

function containerWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  return containerFields.flatMap((field) =>
    objectsIn(spec, field).flatMap((container, i) => {
      const here = at.child(field).index(i);
      const resources = objectIn(container, 'resources');
      return [
        ...fractionWarnings(mapIn(resources, 'limits'), here.child('resources', 'limits')),
        ...fractionWarnings(mapIn(resources, 'requests'), here.child('resources', 'requests')),
        ...hiddenVariables(container, here.child('env')),
      ];
    }),
  );
}

/** Variables that a later one with the same name hides, unless that one refers to the earlier value. */
function hiddenVariables(container: JsonObject, at: FieldPath): readonly string[] {
  const seen = new Set<string>();
  return objectsIn(container, 'env').flatMap((variable, i) => {
    const [name, value] = [textIn(variable, 'name'), textIn(variable, 'value')];
    const reference = `$(${name})`;
    const hides = seen.has(name) && (variable.valueFrom !== undefined || value === reference || !value.includes(reference));
    seen.add(name);
    if (!hides) return [];
    return [`${at.index(i)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}

function graceWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  if (numberIn(spec, 'terminationGracePeriodSeconds') >= 0) return [];
  const message = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [`${at.child('terminationGracePeriodSeconds')}: ${message}`];
}

function addressWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  return [
    ...textsIn(objectIn(spec, 'dnsConfig'), 'nameservers').flatMap((address, i) =>
      warningsForIP(address, at.child('dnsConfig', 'nameservers').index(i)),
    ),
    ...objectsIn(spec, 'hostAliases').flatMap((alias, i) =>
      warningsForIP(textIn(alias, 'ip'), at.child('hostAliases').index(i).child('ip')),
    ),
  ];
}

export function nodeWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const warnings: string[] = [];
  for (const key of Object.keys(mapIn(spec, 'nodeSelector')))
    if (nodeLabelDeprecation(key)) warnings.push(`${at.child('nodeSelector').key(key)}: ${nodeLabelDeprecation(key)}`);
  const affinity = objectIn(objectIn(spec, 'affinity'), 'nodeAffinity');
  const here = at.child('affinity', 'nodeAffinity');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  for (const [i, term] of objectsIn(objectIn(affinity, required), 'nodeSelectorTerms').entries())
    warnings.push(...termWarnings(term, here.child(required, 'nodeSelectorTerms').index(i), false));
  for (const [i, term] of objectsIn(affinity, preferred).entries())
    warnings.push(...termWarnings(objectIn(term, 'preference'), here.child(preferred).index(i).child('preference'), true));
  return warnings;
}

function termWarnings(term: JsonObject | undefined, at: FieldPath, checkValues: boolean): readonly string[] {
  return objectsIn(term, 'matchExpressions').flatMap((expression, i) => {
    const here = at.child('matchExpressions').index(i);
    const key = textIn(expression, 'key');
    const warnings = nodeLabelDeprecation(key) ? [`${here.child('key')}: ${key} is ${nodeLabelDeprecation(key)}`] : [];
    if (!checkValues) return warnings;
    for (const [j, value] of textsIn(expression, 'values').entries())
      for (const problem of isValidLabelValue(value))
        warnings.push(`${here.child('values').index(j)}: ${value} is invalid, ${problem}`);
    return warnings;
  });
}

const matchesNothing = 'a null labelSelector results in matching no pod';

function spreadWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  return objectsIn(spec, 'topologySpreadConstraints').flatMap((constraint, i) => {
    const key = textIn(constraint, 'topologyKey');
    const warnings = nodeLabelDeprecation(key)
      ? [`${at.index(i).child('topologyKey')}: ${key} is ${nodeLabelDeprecation(key)}`]
      : [];
    if (!constraint.labelSelector) warnings.push(`${at.index(i).child('labelSelector')}: ${matchesNothing}`);
    return warnings;
  });
}

function affinityWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const affinity = objectIn(spec, 'affinity');
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const terms = objectIn(affinity, kind);
    const warnings: string[] = [];
    for (const [i, term] of objectsIn(terms, required).entries())
      if (!term.labelSelector) warnings.push(`${at.child(kind, required).index(i).child('labelSelector')}: ${matchesNothing}`);
    for (const [i, term] of objectsIn(terms, preferred).entries())
      if (!objectIn(term, 'podAffinityTerm')?.labelSelector)
        warnings.push(`${at.child(kind, preferred).index(i).child('podAffinityTerm', 'labelSelector')}: ${matchesNothing}`);
    return warnings;
  });
}
