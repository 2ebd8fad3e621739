import {
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import {
  isConfigKey,
  isEnvironmentName,
  report,
  requireText,
  validateDNSLabel,
  validateNoBacksteps,
} from '../../common/field-validation.ts';

export const environmentFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const convertibleFields = new Set([
  ...environmentFields,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
]);
const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

type SourceCheck = (source: JsonObject, at: FieldPath, errors: FieldErrors) => void;

const sources: Readonly<Record<string, SourceCheck>> = {
  fieldRef: (source, at, errors) => validateFieldRef(source, environmentFields, at, errors),
  resourceFieldRef: (source, at, errors) => validateResourceFieldRef(source, false, at, errors),
  configMapKeyRef: validateKeyRef,
  secretKeyRef: validateKeyRef,
  fileKeyRef: validateFileKeyRef,
};

export function validateEnvironment(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, variable] of objectsIn(container, 'env').entries()) {
    const here = at.child('env').index(i);
    const name = textIn(variable, 'name');
    if (name === '') errors.required(here.child('name'));
    else report(isEnvironmentName(name), here.child('name'), name, errors);
    validateValueFrom(variable, here.child('valueFrom'), errors);
  }
  validateEnvironmentFrom(container, at.child('envFrom'), errors);
}

function validateValueFrom(variable: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const valueFrom = objectIn(variable, 'valueFrom');
  if (!valueFrom) return;
  let count = 0;
  for (const [kind, check] of Object.entries(sources)) {
    const source = objectIn(valueFrom, kind);
    if (!source) continue;
    count++;
    check(source, at.child(kind), errors);
  }
  if (count === 0) {
    const kinds = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    errors.invalid(at, '', kinds);
  } else if (textIn(variable, 'value') !== '') errors.invalid(at, '', 'may not be specified when `value` is not empty');
  else if (count > 1) errors.invalid(at, '', 'may not have more than one field specified at a time');
}

/** A field path with a subscript: `metadata.labels['key']`. */
const subscripted = /^([^[]+)\['(.*)'\]$/s;

export function validateFieldRef(source: JsonObject, allowed: readonly string[], at: FieldPath, errors: FieldErrors): void {
  for (const field of ['apiVersion', 'fieldPath'])
    if (textIn(source, field) === '') {
      errors.required(at.child(field));
      return;
    }
  const fieldPath = textIn(source, 'fieldPath');
  const [, base, key = ''] = subscripted.exec(fieldPath) ?? [];
  const problem = conversionProblem(textIn(source, 'apiVersion'), fieldPath, base);
  if (problem !== undefined) {
    errors.invalid(at.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`);
    return;
  }
  if (base !== undefined) {
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key;
    report(isQualifiedName(name), at, name, errors);
    return;
  }
  const converted = fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath;
  if (!allowed.includes(converted)) errors.notSupported(at.child('fieldPath'), converted, [...allowed].sort());
}

function conversionProblem(version: string, fieldPath: string, base: string | undefined): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  if (base !== undefined) {
    const supported = base === 'metadata.annotations' || base === 'metadata.labels';
    return supported ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  return convertibleFields.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
}

export function validateResourceFieldRef(source: JsonObject, inVolume: boolean, at: FieldPath, errors: FieldErrors): void {
  const resource = textIn(source, 'resource');
  if (inVolume && textIn(source, 'containerName') === '') errors.required(at.child('containerName'));
  else if (resource === '') errors.required(at.child('resource'));
  else if (!resourceFields.includes(resource) && !/^(?:requests|limits)\.hugepages-/.test(resource))
    errors.notSupported(at.child('resource'), resource, resourceFields);
  validateDivisor(resource, textIn(source, 'divisor'), at.child('divisor'), errors);
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const divided: Readonly<Record<string, string>> = {
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
};

function validateDivisor(resource: string, divisor: string, at: FieldPath, errors: FieldErrors): void {
  if (divisor === '' || divisor === '0') return;
  const name = resource.replace(/^(?:requests|limits)\./, '');
  if (name === 'cpu') {
    if (divisor !== '1' && divisor !== '1m')
      errors.invalid(at, resource, "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  const title = name.startsWith('hugepages-') ? 'hugepages' : divided[name];
  if (title === undefined || byteDivisors.includes(divisor)) return;
  errors.invalid(at, resource, `only divisor's values ${byteDivisors.join(', ')} are supported with the ${title} resource`);
}

function validateKeyRef(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(source, 'name');
  report(nameIsDNSSubdomain(name, false), at.child('name'), name, errors);
  const key = textIn(source, 'key');
  if (key === '') errors.required(at.child('key'));
  else report(isConfigKey(key), at.child('key'), key, errors);
}

function validateFileKeyRef(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const field of ['key', 'volumeName', 'path']) requireText(source, field, at, errors);
  const [key, volume] = [textIn(source, 'key'), textIn(source, 'volumeName')];
  report(isEnvironmentName(key), at.child('key'), key, errors);
  if (volume !== '') validateDNSLabel(volume, at.child('volumeName'), errors);
  validateNoBacksteps(textIn(source, 'path'), at.child('path'), errors);
}

function validateEnvironmentFrom(container: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, from] of objectsIn(container, 'envFrom').entries()) {
    const here = at.index(i);
    const prefix = textIn(from, 'prefix');
    report(isEnvironmentName(prefix), here.child('prefix'), prefix, errors);
    const references = ['configMapRef', 'secretRef'].flatMap((kind) => {
      const reference = objectIn(from, kind);
      return reference ? [{ kind, reference }] : [];
    });
    for (const { kind, reference } of references) validateReference(reference, here.child(kind), errors);
    if (references.length === 0) errors.invalid(at, '', 'must specify one of: `configMapRef` or `secretRef`');
    else if (references.length > 1) errors.invalid(at, '', 'may not have more than one field specified at a time');
  }
}

function validateReference(reference: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(reference, 'name');
  if (name === '') errors.required(at.child('name'));
  else report(nameIsDNSSubdomain(name, true), at.child('name'), name, errors);
}
