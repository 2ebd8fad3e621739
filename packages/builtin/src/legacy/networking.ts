import type { ServedVersion } from '@tsukube/apiserver';
import {
  type FieldError,
  fillIn,
  isObject,
  type JsonObject,
  type JsonValue,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion, withEach } from './legacy-version.ts';

/** v1beta1 has serviceName and servicePort in the backend, and `backend` instead of defaultBackend. */
const ingressConversion: LegacyConversion = {
  toHub(object) {
    const { backend, ...spec } = objectIn(object, 'spec') ?? {};
    return { ...object, spec: withBackends(spec, backendToHub, 'defaultBackend', backend) };
  },
  fromHub(hub) {
    const { defaultBackend, ...spec } = objectIn(hub, 'spec') ?? {};
    return { ...hub, spec: withBackends(spec, backendFromHub, 'backend', defaultBackend) };
  },
};

function withBackends(
  spec: JsonObject,
  convert: (backend: JsonObject) => JsonObject,
  defaultName: string,
  defaultBackend: JsonValue | undefined,
): JsonObject {
  const inPath = (path: JsonObject) => ({ ...path, backend: convert(objectIn(path, 'backend') ?? {}) });
  const inRule = (rule: JsonObject) => {
    const http = objectIn(rule, 'http');
    return http ? { ...rule, http: withEach(http, 'paths', inPath) } : rule;
  };
  return {
    ...withEach(spec, 'rules', inRule),
    ...(isObject(defaultBackend) && { [defaultName]: convert(defaultBackend) }),
  };
}

function backendToHub({ serviceName = '', servicePort = 0, resource }: JsonObject): JsonObject {
  const hasService = serviceName !== '' || servicePort !== 0;
  const port: JsonObject = typeof servicePort === 'string' ? { name: servicePort } : { number: servicePort as JsonValue };
  return {
    ...(hasService && { service: { name: serviceName, port } }),
    ...(resource !== undefined && { resource }),
  };
}

function backendFromHub(backend: JsonObject): JsonObject {
  const service = objectIn(backend, 'service');
  const port = objectIn(service, 'port');
  return {
    ...(service && { serviceName: textIn(service, 'name'), servicePort: textIn(port, 'name') || numberIn(port, 'number') }),
    ...(backend.resource !== undefined && { resource: backend.resource }),
  };
}

function defaultPathTypes(ingress: JsonObject): void {
  for (const rule of objectsIn(objectIn(ingress, 'spec'), 'rules'))
    for (const path of objectsIn(objectIn(rule, 'http'), 'paths')) fillIn(path, 'pathType', 'ImplementationSpecific');
}

/** v1beta1 does not validate secretName. */
function filterError(error: FieldError): FieldError | undefined {
  if (/^spec\.tls\[\d+]\.secretName$/.test(error.field)) return undefined;
  const field = error.field
    .replace(/^spec\.defaultBackend/, 'spec.backend')
    .replace(/\.service\.name$/, '.serviceName')
    .replace(/\.service\.port\.(name|number)$/, '.servicePort');
  return { ...error, field, body: error.body.replace('`defaultBackend`', '`backend`') };
}

const ingress = {
  hub: 'networking.v1.Ingress',
  hubGroup: 'networking.k8s.io',
  removed: 22,
  replacement: 'networking.k8s.io/v1 Ingress',
  conversion: ingressConversion,
  applyDefaults: defaultPathTypes,
  filterError,
};

export const ingressVersions: readonly ServedVersion[] = [
  legacyVersion({ ...ingress, group: 'networking.k8s.io', type: 'networking.v1beta1.Ingress', deprecated: 19 }),
  legacyVersion({ ...ingress, group: 'extensions', type: 'extensions.v1beta1.Ingress', deprecated: 14 }),
];

export const ingressClassVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'networking.k8s.io',
    type: 'networking.v1beta1.IngressClass',
    hub: 'networking.v1.IngressClass',
    deprecated: 19,
    removed: 22,
    // The warning of Kubernetes names the list kind.
    replacement: 'networking.k8s.io/v1 IngressClassList',
  }),
];
