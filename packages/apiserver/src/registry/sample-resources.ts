import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '@tsukube/machinery';
import type { Exchange } from '@tsukube/transport';
import { IncomingRequest } from '../http/api-request.ts';
import type { Resource, Verb, Verbs } from './resource.ts';

/** A few built-in kinds with some of their fields, for tests. */
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const text: FieldType = { is: 'string' };

function define(name: string, fields: readonly Field[], more: Partial<TypeDefinition> = {}): TypeDefinition {
  return { name, fields: new Map(fields.map((field) => [field.name, field])), ...more };
}

function kindType(name: string, group: string, fields: readonly Field[]): TypeDefinition {
  const kind = name.slice(name.lastIndexOf('.') + 1);
  const typeMeta = ['kind', 'apiVersion'].map((field) => ({ name: field, type: text }));
  return define(name, [...typeMeta, ...fields], { gvks: [{ group, version: 'v1', kind }] });
}

const object = (name: string, ref: string): Field => ({ name, type: { is: 'object', ref }, default: {} });
const metadata = object('metadata', `${meta}.ObjectMeta`);
const everywhere = (kind: string) => ['', 'coordination.k8s.io', 'apps'].map((group) => ({ group, version: 'v1', kind }));

function withList(type: TypeDefinition): readonly TypeDefinition[] {
  const items: Field = { name: 'items', type: { is: 'list', of: { is: 'object', ref: type.name } }, required: true };
  return [type, kindType(`${type.name}List`, type.gvks?.[0]?.group ?? '', [object('metadata', `${meta}.ListMeta`), items])];
}

const types = new Map(
  [
    ...withList(
      kindType('io.k8s.api.core.v1.ConfigMap', '', [
        metadata,
        { name: 'immutable', type: { is: 'boolean' } },
        { name: 'data', type: { is: 'map', of: text } },
        { name: 'binaryData', type: { is: 'map', of: { is: 'bytes' } } },
      ]),
    ),
    ...withList(kindType('io.k8s.api.core.v1.Namespace', '', [metadata])),
    ...withList(
      kindType('io.k8s.api.coordination.v1.Lease', 'coordination.k8s.io', [
        metadata,
        object('spec', 'io.k8s.api.coordination.v1.LeaseSpec'),
      ]),
    ),
    define('io.k8s.api.coordination.v1.LeaseSpec', [
      { name: 'holderIdentity', type: text },
      { name: 'leaseDurationSeconds', type: { is: 'int32' } },
      { name: 'acquireTime', type: { is: 'microTime' } },
    ]),
    define(`${meta}.ObjectMeta`, [
      { name: 'name', type: text },
      { name: 'creationTimestamp', type: { is: 'time' } },
      { name: 'finalizers', type: { is: 'list', of: text }, listType: 'set', patchStrategy: 'merge' },
    ]),
    define(`${meta}.ListMeta`, [{ name: 'resourceVersion', type: text }]),
    define(`${meta}.Status`, [{ name: 'code', type: { is: 'int32' } }]),
    define(`${meta}.DeleteOptions`, [{ name: 'dryRun', type: { is: 'list', of: text } }], { gvks: everywhere('DeleteOptions') }),
    define(`${meta}.WatchEvent`, [{ name: 'type', type: text, required: true, default: '' }], { gvks: everywhere('WatchEvent') }),
    define(`${meta}.Patch`, []),
  ].map((type) => [type.name, type]),
);

export const sampleTypes: TypeCatalogue = {
  get(name) {
    const type = types.get(name);
    if (!type) throw new Error(`no type ${name}`);
    return type;
  },
};

const handler = () => ({ kind: 'bytes', status: 200, type: 'text/plain', body: '' }) as const;
const verbs = (names: readonly Verb[]): Verbs => Object.fromEntries(names.map((name) => [name, handler]));
const allVerbs: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const status = { verbs: verbs(['get', 'update', 'patch']) };

interface Sample {
  readonly kind: string;
  readonly type?: string;
  readonly group?: string;
  readonly version?: string;
}

export function sampleResource(
  { kind, group = '', version = 'v1', type = `example.${kind}` }: Sample,
  more: Partial<Resource> = {},
): Resource {
  const served = { group, version, schema: { catalogue: sampleTypes, type, listType: `${type}List` } };
  const singular = kind.toLowerCase();
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
    scope: 'Namespaced',
    storagePrefix: `/registry/${singular}s`,
    hub: served,
    versions: [served],
    strategy: {},
    verbs: verbs(allVerbs),
    ...more,
  };
}

export const configMaps: Resource = sampleResource(
  { kind: 'ConfigMap', type: 'io.k8s.api.core.v1.ConfigMap' },
  { names: { plural: 'configmaps', singular: 'configmap', kind: 'ConfigMap', listKind: 'ConfigMapList', shortNames: ['cm'] } },
);

export const namespaces: Resource = sampleResource(
  { kind: 'Namespace', type: 'io.k8s.api.core.v1.Namespace' },
  {
    names: { plural: 'namespaces', singular: 'namespace', kind: 'Namespace', listKind: 'NamespaceList', shortNames: ['ns'] },
    scope: 'Cluster',
    verbs: verbs(allVerbs.filter((verb) => verb !== 'deletecollection')),
    subresources: { status, finalize: { verbs: verbs(['update']) } },
  },
);

export const leases: Resource = sampleResource({
  kind: 'Lease',
  group: 'coordination.k8s.io',
  type: 'io.k8s.api.coordination.v1.Lease',
});

export const sampleResources: readonly Resource[] = [leases, namespaces, configMaps];

export function sampleRequest(url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): IncomingRequest {
  const exchange: Exchange = {
    method,
    url,
    protocol: 'HTTP/1.1',
    header: (name) => headers[name],
    eachHeader(visit) {
      for (const [name, value] of Object.entries(headers)) visit(name, value);
    },
    redact() {},
    bodyStream: () => undefined,
    connection: {
      remoteAddress: '127.0.0.1',
      clientCertificates: () => [],
      hasTrustedCertificate: false,
      isUrgent: false,
      goAway() {},
      retire() {},
    },
    body: async () => Buffer.alloc(0),
    upgrade: false,
    onClose() {},
    abort() {},
  };
  return new IncomingRequest(exchange, 0);
}
