/** A valid request to mutate. */
export interface Sample {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export const playground = 'playground';
const core = `/api/v1/namespaces/${playground}`;
const configMaps = `${core}/configmaps`;
const leases = `/apis/coordination.k8s.io/v1/namespaces/${playground}/leases`;
const events = `/apis/events.k8s.io/v1/namespaces/${playground}/events`;
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1,application/json';
const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const protobuf = 'application/vnd.kubernetes.protobuf';
const continuation = Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"a\\u0000"}').toString('base64url');

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'sample',
    labels: { 'example.com/app': 'web', tier: 'front' },
    annotations: { note: 'ünïcödé \u{1f600}', 'example.com/json': '{"a":[1,2,{"b":null}]}' },
    finalizers: ['example.com/hold'],
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '1-2-3', controller: true }],
  },
  data: { a: 'one', 'b.txt': 'line\nline\n', __proto__x: '' },
  binaryData: { z: 'AAECAwQ=' },
  immutable: false,
};
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { generateName: 'lease-' },
  spec: {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    renewTime: '2026-01-01T00:00:00.000000Z',
    leaseTransitions: 2147483647,
  },
};
const event = {
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { generateName: 'event-' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingController: 'example.com/c',
  reportingInstance: 'i',
  action: 'Act',
  reason: 'Because',
  regarding: { kind: 'ConfigMap', name: 'sample', namespace: playground },
  type: 'Normal',
};
const yaml = `apiVersion: v1
kind: ConfigMap
metadata: &meta
  generateName: "yaml-"
  labels: {a: b, 'c': "d"}
data:
  text: |
    first
    second
  folded: >-
    one
    two
  quoted: "\\u00e9\\n"
  date: !!str 2001-01-01
  alias: &x y
  same: *x
`;
const applied = yaml.replace('generateName: "yaml-"', 'name: applied');
const jsonPatch = [
  { op: 'test', path: '/metadata/name', value: 'sample' },
  { op: 'add', path: '/data/c~1d', value: 'x' },
  { op: 'copy', from: '/data/a', path: '/data/e' },
  { op: 'move', from: '/data/e', path: '/data/f' },
  { op: 'replace', path: '/metadata/labels/tier', value: 'back' },
  { op: 'remove', path: '/data/f' },
];
const strategicPatch = {
  metadata: { finalizers: ['x/y'], $setElementOrderFinalizers: [] },
  data: { $patch: 'replace', a: 'two' },
};
const deleteOptions = {
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  gracePeriodSeconds: 0,
  propagationPolicy: 'Background',
  preconditions: { uid: 'x' },
};

const get = (path: string, accept = 'application/json') => sample('GET', path, { accept });
const send = (method: string, path: string, body: unknown, type = 'application/json') =>
  sample(method, path, { 'content-type': type }, typeof body === 'string' ? body : JSON.stringify(body));

export const samples: readonly Sample[] = [
  get(`${configMaps}/sample`),
  get(`${configMaps}/sample?resourceVersion=0&pretty=true`),
  get(`${configMaps}/sample`, 'application/yaml'),
  get(`${configMaps}/sample`, protobuf),
  get(configMaps, table),
  get(
    `${configMaps}?limit=2&labelSelector=tier%20in%20%28front%2Cback%29%2C%21missing%2Ca%21%3Db&fieldSelector=metadata.name%21%3Dx`,
    partial,
  ),
  get(`${configMaps}?limit=1&continue=${continuation}`),
  get(`${configMaps}?resourceVersion=5&resourceVersionMatch=NotOlderThan&includeObject=None`, table),
  get(`${configMaps}?watch=true&resourceVersion=0&timeoutSeconds=1&allowWatchBookmarks=true`),
  get(`${configMaps}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1`),
  get(`/api/v1/watch/namespaces/${playground}/configmaps/sample?timeoutSeconds=1`),
  get(`/api/v1/namespaces/${playground}`),
  get('/apis', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json'),
  get('/openapi/v3/api/v1?hash=AB'),
  get('/readyz?verbose&exclude=etcd'),
  get('/version'),
  get('/metrics'),
  get('/logs/'),
  send('POST', configMaps, {
    ...object,
    metadata: { ...object.metadata, name: undefined, generateName: 'sample-', finalizers: [] },
  }),
  send('POST', `${configMaps}?dryRun=All&fieldValidation=Strict&fieldManager=me`, object),
  send('POST', configMaps, yaml, 'application/yaml'),
  send('POST', leases, lease),
  send('POST', events, event),
  send('POST', `${core}/secrets`, {
    metadata: { generateName: 's-' },
    type: 'Opaque',
    data: { a: 'AA==' },
    stringData: { b: 'c' },
  }),
  send('POST', '/api/v1/namespaces?dryRun=All', { metadata: { name: 'another' } }),
  send('PUT', `${configMaps}/sample`, { ...object, metadata: { ...object.metadata, resourceVersion: '7' } }),
  send('PUT', `${leases}/made-by-update`, { ...lease, metadata: { name: 'made-by-update' } }),
  send('PUT', `/api/v1/namespaces/${playground}/finalize`, {
    metadata: { name: playground },
    spec: { finalizers: ['kubernetes'] },
  }),
  send('PATCH', `${configMaps}/sample`, jsonPatch, 'application/json-patch+json'),
  send(
    'PATCH',
    `${configMaps}/sample`,
    { metadata: { labels: { tier: null, x: 'y' } }, data: { n: '1' } },
    'application/merge-patch+json',
  ),
  send('PATCH', `${configMaps}/sample`, strategicPatch, 'application/strategic-merge-patch+json'),
  send('PATCH', `${configMaps}/applied?fieldManager=me&force=true`, applied, 'application/apply-patch+yaml'),
  send('DELETE', `${configMaps}/sample-gone`, deleteOptions),
  send('DELETE', `${configMaps}?labelSelector=tier%3Dnobody&dryRun=All`, {}),
  sample('GET', `${configMaps}?watch=1&timeoutSeconds=1`, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  }),
];

/** The same object in protobuf, encoded by the server. */
export function protobufSample(bytes: Buffer): Sample {
  const headers = { 'user-agent': 'fuzz', 'content-type': protobuf, accept: protobuf };
  return { method: 'PUT', path: `${configMaps}/sample`, headers, body: bytes };
}

/** The object of most samples. */
export const sampleObject = object;

function sample(method: string, path: string, headers: Record<string, string>, body = ''): Sample {
  return { method, path, headers: { 'user-agent': 'fuzz', 'accept-encoding': 'gzip', ...headers }, body: Buffer.from(body) };
}
