import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const apply = { 'content-type': 'application/apply-patch+yaml' },
  merge = { 'content-type': 'application/merge-patch+json' };
const group = 'NS.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  path = (version: string) => `/apis/${group}/${version}/namespaces/NS/tools`;
const text = { type: 'string' },
  texts = { type: 'object', additionalProperties: text };
const object = (properties: object) => ({ type: 'object', properties });

/** The versions represent the same content in different fields: arguments as a map or a list, an address in one or two fields. */
const specs: Readonly<Record<string, object>> = {
  v1: { extraArgs: texts, hostPort: text, size: text, quirk: text },
  v2: {
    args: {
      type: 'array',
      items: { ...object({ name: text, value: text }), required: ['name'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    address: object({ host: text, port: text }),
    settings: object({ size: text }),
    mode: { ...text, default: 'plain' },
    note: text,
    quirk: text,
  },
  v3: { flags: texts, host: text, port: text, size: text, quirk: text },
};
const statuses: Readonly<Record<string, object>> = {
  v1: { phase: text },
  v2: { state: object({ phase: text }) },
  v3: { phase: text },
};

interface Content {
  readonly args?: Readonly<Record<string, string>>;
  readonly host?: string;
  readonly port?: string;
  readonly size?: string;
  readonly quirk?: string;
}
const readers: Readonly<Record<string, (spec: Any) => Content>> = {
  v1: ({ extraArgs: args, hostPort, size, quirk }) => {
    const [host, port] = hostPort?.split(':') ?? [];
    return { args, host, port, size, quirk };
  },
  v2: ({ args, address, settings, quirk }) => ({
    args: args && Object.fromEntries(args.map(({ name, value }: Any) => [name, value])),
    ...address,
    ...settings,
    quirk,
  }),
  v3: ({ flags: args, ...rest }) => ({ args, ...rest }),
};
const writers: Readonly<Record<string, (content: Content) => object>> = {
  v1: ({ args, host, port, ...rest }) => ({
    extraArgs: args,
    hostPort: host === undefined && port === undefined ? undefined : `${host ?? ''}:${port ?? ''}`,
    ...rest,
    ...(rest.quirk === 'undeclared in v1' && { surplus: 'x' }),
  }),
  v2: ({ args, host, port, size, quirk }) => ({
    args: args && Object.entries(args).map(([name, value]) => ({ name, value })),
    address: host === undefined && port === undefined ? undefined : { host, port },
    settings: size === undefined ? undefined : { size },
    quirk,
  }),
  v3: ({ args, ...rest }) => ({ flags: args, ...rest }),
};

/** The conversion webhook. Fails for the version that the object names. */
export function convert({ spec, status, ...rest }: Any, apiVersion: string): Any {
  const [from, to] = [rest.apiVersion, apiVersion].map((one: string) => one.split('/')[1] as string) as [string, string];
  const content = readers[from]?.(spec ?? {}) as Content;
  if (content.quirk === `refuses ${to}`) throw new Error(`this does not go into ${to}`);
  const phase = from === 'v2' ? status?.state?.phase : status?.phase;
  const converted = to === 'v2' ? { state: { phase } } : { phase };
  return { ...rest, apiVersion, spec: spec && writers[to]?.(content), status: phase === undefined ? undefined : converted };
}

const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v2',
  subresources: { status: {} },
  schema: { openAPIV3Schema: object({ spec: object(specs[name] as object), status: object(statuses[name] as object) }) },
});
const define: Step[] = [
  [
    'POST',
    definitions,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `tools.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'tools', kind: 'Tool' },
        versions: Object.keys(specs).map(version),
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'CONVERSION_URL', caBundle: 'CONVERSION_CA' }, conversionReviewVersions: ['v1'] },
        },
      },
    },
  ],
  { until: path('v1'), holds: () => true },
  { until: path('v2'), holds: () => true },
  { until: path('v3'), holds: () => true },
];
const tool = (v: string, spec: object, more: object = {}) => ({
  apiVersion: `${group}/${v}`,
  kind: 'Tool',
  metadata: { name: 't' },
  spec,
  ...more,
});
const applyAs = (manager: string, v: string, spec: object, more = ''): Request => [
  'PATCH',
  `${path(v)}/t?fieldManager=${manager}${more}`,
  tool(v, spec),
  apply,
];
const patchAs = (manager: string, v: string, change: object): Request => [
  'PATCH',
  `${path(v)}/t?fieldManager=${manager}`,
  change,
  merge,
];
const get = (v: string): Request => ['GET', `${path(v)}/t`];
const end: Step = ['DELETE', `${definitions}/tools.${group}`];
const arg = (name: string, value: string) => ({ name, value });
const args = (...list: object[]) => ({ args: list });
const entry = (manager: string, operation: string, v: string, fieldsV1: object) => ({
  manager,
  operation,
  apiVersion: `${group}/${v}`,
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const force = '&force=true';

const conversations: Conversations = {
  'one-applier': [
    ...define,
    applyAs('a', 'v1', { extraArgs: { a: '1', b: '2' }, hostPort: 'h:1', size: 's' }),
    applyAs('a', 'v2', { ...args(arg('a', '1')), address: { host: 'h', port: '1' } }),
    get('v1'),
    applyAs('a', 'v2', { ...args(arg('a', '1')), address: { host: 'h' } }),
    applyAs('a', 'v1', { extraArgs: { c: '1' } }),
    applyAs('a', 'v1', { extraArgs: { c: '1' } }),
    applyAs('a', 'v2', args(arg('c', '1'))),
    applyAs('a', 'v2', args(arg('c', '1'))),
    applyAs('a', 'v1', { size: 'm' }, '&dryRun=All'),
    applyAs('a', 'v1', { size: 'm' }),
    get('v2'),
    end,
  ],
  'two-appliers': [
    ...define,
    applyAs('a', 'v1', { extraArgs: { a: '1', b: '2' }, hostPort: 'h:1' }),
    applyAs('b', 'v2', args(arg('b', '2'), arg('c', '3'))),
    applyAs('b', 'v2', args(arg('a', '9'), arg('b', '2'))),
    applyAs('b', 'v2', { ...args(arg('a', '9')), address: { host: 'other' } }),
    applyAs('b', 'v2', args(arg('a', '9'), arg('b', '2')), force),
    applyAs('a', 'v2', { address: { host: 'h', port: '1' } }),
    applyAs('b', 'v1', { extraArgs: { b: '2' } }),
    applyAs('a', 'v1', {}),
    get('v2'),
    end,
  ],
  'three-versions': [
    ...define,
    applyAs('a', 'v1', { extraArgs: { a: '1', x: '1' }, size: 's' }),
    applyAs('b', 'v2', args(arg('b', '1'), arg('x', '1'))),
    applyAs('c', 'v3', { flags: { c: '1', x: '1' }, size: 's' }),
    applyAs('a', 'v3', { flags: { a: '1' } }),
    applyAs('b', 'v3', { flags: { b: '1' } }),
    applyAs('c', 'v2', args(arg('c', '2'))),
    get('v1'),
    end,
  ],
  'updates-of-applied': [
    ...define,
    applyAs('a', 'v2', { ...args(arg('a', '1'), arg('b', '1')), address: { host: 'h', port: '1' }, settings: { size: 's' } }),
    patchAs('u', 'v1', { spec: { hostPort: 'h:2' } }),
    patchAs('u', 'v1', { spec: { extraArgs: { b: null, c: '1' } } }),
    applyAs('a', 'v2', { address: { host: 'h', port: '1' } }),
    applyAs('a', 'v2', { address: { host: 'h', port: '1' } }, force),
    patchAs('u', 'v3', { spec: { port: '3', size: 'm' } }),
    patchAs('w', 'v2', { spec: { args: [] } }),
    patchAs('w', 'v2', { metadata: { labels: { x: 'y' } } }),
    applyAs('b', 'v1', { hostPort: 'h:4' }),
    applyAs('b', 'v1', { hostPort: 'h:4' }, force),
    get('v2'),
    end,
  ],
  'updates-only': [
    ...define,
    ['POST', `${path('v1')}?fieldManager=u`, tool('v1', { extraArgs: { a: '1' }, hostPort: 'h:1', size: 's' })],
    patchAs('u', 'v2', { spec: { address: { port: '2' } } }),
    patchAs('w', 'v3', { spec: { flags: { a: '2', b: '1' }, host: 'g' } }),
    patchAs('u', 'v1', { spec: { size: null } }),
    get('v1'),
    end,
  ],
  'first-apply': [
    ...define,
    ['POST', `${path('v1')}?fieldManager=u`, tool('v1', { extraArgs: { a: '1' }, size: 's' })],
    patchAs('u', 'v1', { metadata: { managedFields: [{}] } }),
    applyAs('a', 'v2', args(arg('a', '1'))),
    applyAs('a', 'v3', { flags: { b: '1' } }),
    end,
  ],
  lossy: [
    ...define,
    applyAs('a', 'v1', { extraArgs: { a: '1', b: '1' } }),
    patchAs('u', 'v2', { spec: { note: 'n', mode: 'm' } }),
    applyAs('b', 'v2', { note: 'n' }),
    applyAs('a', 'v2', args(arg('a', '1'))),
    get('v2'),
    end,
  ],
  status: [
    ...define,
    applyAs('a', 'v1', { size: 's' }),
    ['PATCH', `${path('v1')}/t/status?fieldManager=s`, tool('v1', {}, { status: { phase: 'x' } }), apply],
    ['PATCH', `${path('v2')}/t/status?fieldManager=r`, tool('v2', {}, { status: { state: { phase: 'y' } } }), apply],
    ['PATCH', `${path('v2')}/t/status?fieldManager=r`, { status: { state: { phase: 'y' } } }, merge],
    ['PATCH', `${path('v2')}/t/status?fieldManager=s`, tool('v2', {}, { status: { state: { phase: 'x' } } }), apply],
    applyAs('a', 'v3', { host: 'h' }),
    get('v1'),
    end,
  ],
  'sent-records': [
    ...define,
    [
      'POST',
      `${path('v2')}?fieldManager=u`,
      {
        ...tool('v2', args(arg('a', '1'), arg('b', '1'))),
        metadata: {
          name: 't',
          managedFields: [entry('m', 'Apply', 'v1', { 'f:spec': { 'f:extraArgs': { 'f:a': {}, 'f:b': {} } } })],
        },
      },
    ],
    patchAs('u', 'v2', {
      metadata: {
        managedFields: [entry('m', 'Apply', 'v1', { 'f:spec': { 'f:extraArgs': { 'f:a': {}, 'f:b': {} } } })],
      },
    }),
    get('v2'),
    applyAs('m', 'v2', args(arg('a', '1'))),
    end,
  ],
  'refused-conversion': [
    ...define,
    applyAs('a', 'v1', { size: 's' }),
    applyAs('b', 'v2', { quirk: 'refuses v1' }),
    applyAs('a', 'v2', { quirk: 'refuses v1' }),
    get('v2'),
    patchAs('u', 'v2', { spec: { quirk: 'refuses v1' } }),
    patchAs('u', 'v2', { metadata: { managedFields: [entry('m', 'Apply', 'v1', { 'f:spec': { 'f:size': {} } })] } }),
    applyAs('b', 'v2', { quirk: 'refuses v1' }),
    applyAs('c', 'v3', { size: 's' }),
    get('v2'),
    end,
  ],
  'undeclared-after-conversion': [
    ...define,
    applyAs('a', 'v1', { size: 's' }),
    applyAs('b', 'v2', { quirk: 'undeclared in v1' }),
    applyAs('a', 'v2', { quirk: 'undeclared in v1' }),
    patchAs('u', 'v2', { spec: { quirk: 'undeclared in v1' } }),
    applyAs('b', 'v2', { quirk: 'undeclared in v1' }),
    get('v2'),
    end,
  ],
};
export default conversations;
