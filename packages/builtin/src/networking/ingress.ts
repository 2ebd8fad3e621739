import {
  ageColumn,
  type Column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isWildcardDNS1123Subdomain,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  parseAddress,
  path,
  textIn,
  textsIn,
  validateLegacyIP,
  warningsForIP,
} from '@tsukube/machinery';
import { isPortName, isPortNumber, report } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { ingressOf, loadBalancerAddresses } from '../core/service/load-balancer-status.ts';

const columns: readonly Column[] = [
  nameColumn,
  {
    name: 'Class',
    type: 'string',
    description: 'The name of the IngressClass resource that should be used for additional configuration',
    value(object) {
      const spec = objectIn(object, 'spec');
      return spec?.ingressClassName === undefined ? '<none>' : textIn(spec, 'ingressClassName');
    },
  },
  {
    name: 'Hosts',
    type: 'string',
    description: 'Hosts that incoming requests are matched against before the ingress rule',
    value: hostsCell,
  },
  {
    name: 'Address',
    type: 'string',
    description: 'Address is a list containing ingress points for the load-balancer',
    value: (object) => loadBalancerAddresses(objectIn(object, 'status')).join(','),
  },
  {
    name: 'Ports',
    type: 'string',
    description: 'Ports of TLS configurations that open',
    value: (object) => (objectsIn(objectIn(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80'),
  },
  ageColumn,
];

const v1: ServedVersion = { group: 'networking.k8s.io', version: 'v1', schema: schemaOf('networking.v1.Ingress'), columns };

export const ingress: Resource = {
  names: { plural: 'ingresses', singular: 'ingress', kind: 'Ingress', listKind: 'IngressList', shortNames: ['ing'] },
  scope: 'Namespaced',
  storagePrefix: '/registry/ingress',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateIngressStatus, {
      warnings: (object) =>
        ingressOf(object).flatMap((point, i) =>
          warningsForIP(textIn(point, 'ip'), path('status', 'loadBalancer', 'ingress').index(i)),
        ),
    }),
  },
  strategy: {
    generation: true,
    prepareForCreate(object) {
      object.status = { loadBalancer: {} };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? { loadBalancer: {} };
    },
    validateCreate: validateIngressCreate,
    validateUpdate: validateIngressUpdate,
    warnings(object, old) {
      const annotated = mapIn(object.metadata, 'annotations')[ingressClassAnnotation] !== undefined;
      if (old || !annotated || objectIn(object, 'spec')?.ingressClassName !== undefined) return [];
      return [`annotation "${ingressClassAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
};

const shownHosts = 3;

function hostsCell(object: KubeObject): string {
  const rules = objectsIn(objectIn(object, 'spec'), 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === shownHosts) more = true;
    else if (textIn(rule, 'host') !== '') hosts.push(textIn(rule, 'host'));
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - shownHosts} more...` : hosts.join(',');
}

export const ingressClassAnnotation = 'kubernetes.io/ingress.class';
const specPath = path('spec');
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const noAddress = 'must be a DNS name, not an IP address';

/** Invalid values of the stored object stay accepted. */
interface Ratcheting {
  readonly anySecretName: boolean;
  readonly anyWildcardRule: boolean;
}
const strict: Ratcheting = { anySecretName: false, anyWildcardRule: false };

function validateIngressCreate(object: KubeObject, errors: FieldErrors): void {
  validateIngress(object, strict, errors);
  const annotated = mapIn(object.metadata, 'annotations')[ingressClassAnnotation];
  const name = objectIn(object, 'spec')?.ingressClassName;
  if (annotated !== undefined && name !== undefined && annotated !== name)
    errors.invalid(
      path('annotations', ingressClassAnnotation),
      annotated,
      'must match `ingressClassName` when both are specified',
    );
}

function validateIngressUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const oldSpec = objectIn(old, 'spec');
  const anySecretName = objectsIn(oldSpec, 'tls').some((tls) => secretProblems(tls).length > 0);
  const anyWildcardRule = objectsIn(oldSpec, 'rules').some((rule) => {
    const found = new FieldErrors();
    validateHttp(objectIn(rule, 'http'), specPath, found);
    return textIn(rule, 'host').includes('*') && found.length > 0;
  });
  validateIngress(object, { anySecretName, anyWildcardRule }, errors);
}

function validateIngressStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const before = new Set(ingressOf(old).map((point) => textIn(point, 'ip')));
  for (const [i, point] of ingressOf(object).entries()) {
    const at = path('status', 'loadBalancer', 'ingress').index(i);
    const [ip, hostname] = [textIn(point, 'ip'), textIn(point, 'hostname')];
    if (ip !== '') validateLegacyIP(ip, at.child('ip'), errors, before);
    if (hostname === '') continue;
    report(isDNS1123Subdomain(hostname), at.child('hostname'), hostname, errors);
    if (parseAddress(hostname)) errors.invalid(at.child('hostname'), hostname, noAddress);
  }
}

function validateIngress(object: KubeObject, ratcheting: Ratcheting, errors: FieldErrors): void {
  const spec = specOf(object);
  const rules = objectsIn(spec, 'rules');
  const backend = objectIn(spec, 'defaultBackend');
  if (rules.length === 0 && !backend)
    errors.invalid(specPath, spec.rules, 'either `defaultBackend` or `rules` must be specified');
  if (backend) validateBackend(backend, specPath.child('defaultBackend'), errors);
  for (const [i, rule] of rules.entries()) validateRule(rule, ratcheting, specPath.child('rules').index(i), errors);
  for (const [i, tls] of objectsIn(spec, 'tls').entries()) validateTls(tls, ratcheting, specPath.child('tls').index(i), errors);
  const name = spec.ingressClassName;
  if (typeof name === 'string') report(nameIsDNSSubdomain(name, false), specPath.child('ingressClassName'), name, errors);
}

function validateHost(host: string, at: FieldPath, errors: FieldErrors): void {
  report(host.includes('*') ? isWildcardDNS1123Subdomain(host) : isDNS1123Subdomain(host), at, host, errors);
}

function validateRule(rule: JsonObject, { anyWildcardRule }: Ratcheting, at: FieldPath, errors: FieldErrors): void {
  const host = textIn(rule, 'host');
  if (host !== '') {
    if (parseAddress(host)) errors.invalid(at.child('host'), host, noAddress);
    validateHost(host, at.child('host'), errors);
  }
  if (!host.includes('*') || !anyWildcardRule) validateHttp(objectIn(rule, 'http'), at.child('http'), errors);
}

function validateHttp(http: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (!http) return;
  const paths = objectsIn(http, 'paths');
  if (paths.length === 0) errors.required(at.child('paths'));
  for (const [i, each] of paths.entries()) validatePath(each, at.child('paths').index(i), errors);
}

const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

function validatePath(each: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const { pathType } = each;
  if (typeof pathType !== 'string') {
    errors.required(at.child('pathType'), 'pathType must be specified');
    return;
  }
  const text = textIn(each, 'path');
  const field = at.child('path');
  const matched = pathType === 'Exact' || pathType === 'Prefix';
  if (!pathTypes.includes(pathType)) errors.notSupported(at.child('pathType'), pathType, pathTypes);
  else if (!text.startsWith('/') && (matched || text !== '')) errors.invalid(field, text, 'must be an absolute path');
  if (matched) {
    for (const part of forbiddenParts) if (text.includes(part)) errors.invalid(field, text, `must not contain '${part}'`);
    for (const end of forbiddenEnds) if (text.endsWith(end)) errors.invalid(field, text, `cannot end with '${end}'`);
  }
  validateBackend(objectIn(each, 'backend') ?? {}, at.child('backend'), errors);
}

function validateBackend(backend: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [resource, service] = [objectIn(backend, 'resource'), objectIn(backend, 'service')];
  if (resource && service) errors.invalid(at, '', 'cannot set both resource and service backends');
  else if (resource) validateReference(resource, at.child('resource'), errors);
  else if (service) validateService(service, at, errors);
  else errors.invalid(at, '', 'resource or service backend is required');
}

function validateService(service: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(service, 'name');
  if (name === '') errors.required(at.child('service', 'name'));
  else report(nameIsDNSLabel(name, false), at.child('service', 'name'), name, errors);
  const port = objectIn(service, 'port');
  const [portName, number] = [textIn(port, 'name'), numberIn(port, 'number')];
  const here = at.child('service', 'port');
  if (portName !== '' && number !== 0) errors.invalid(at, '', 'cannot set both port name & port number');
  else if (portName !== '') report(isPortName(portName), here.child('name'), portName, errors);
  else if (number !== 0) report(isPortNumber(number), here.child('number'), number, errors);
  else errors.required(at, 'port name or number is required');
}

/** Validates apiGroup, kind and name of a TypedLocalObjectReference. */
export function validateReference(reference: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const { apiGroup } = reference;
  if (typeof apiGroup === 'string') report(isDNS1123Subdomain(apiGroup), at.child('apiGroup'), apiGroup, errors);
  for (const field of ['kind', 'name']) requireSegment(reference, field, at, errors);
}

export function requireSegment(owner: JsonObject, field: string, at: FieldPath, errors: FieldErrors): void {
  const text = textIn(owner, field);
  if (text === '') errors.required(at.child(field));
  else report(isValidPathSegmentName(text), at.child(field), text, errors);
}

function validateTls(tls: JsonObject, { anySecretName }: Ratcheting, at: FieldPath, errors: FieldErrors): void {
  for (const [i, host] of textsIn(tls, 'hosts').entries()) validateHost(host, at.child('hosts').index(i), errors);
  if (!anySecretName) report(secretProblems(tls), at.child('secretName'), textIn(tls, 'secretName'), errors);
}

function secretProblems(tls: JsonObject): readonly string[] {
  const name = textIn(tls, 'secretName');
  return name === '' ? [] : nameIsDNSSubdomain(name, false);
}
