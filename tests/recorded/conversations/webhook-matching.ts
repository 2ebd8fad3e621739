import { patchOf, type Reviewer } from '../../support/admission-webhook.ts';
import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

/** Labels the object with the name of the webhook, so that responses show which webhooks were called, how often and in which order. */
const marking: Reviewer = ({ object, oldObject, kind, resource, requestKind, operation }, { review }) => {
  if (!object) return { allowed: true, warnings: [`${operation} ${oldObject?.metadata.name}`] };
  const marks = object.metadata.annotations?.marks ?? '';
  const mark = [kind.group, kind.version, kind.kind, resource.resource, object.apiVersion, requestKind.version].join('/');
  const value = `${marks} ${review.apiVersion.split('/')[1]}:${mark}`;
  const path = '/metadata/annotations';
  const annotations = { ...object.metadata.annotations, marks: value };
  return { allowed: true, ...patchOf([{ op: 'add', path, value: annotations }]) };
};
const named =
  (name: string, more: (object: Any) => unknown[] = () => []): Reviewer =>
  ({ object }) => {
    const annotations = { ...object.metadata.annotations, order: `${object.metadata.annotations?.order ?? ''} ${name}` };
    return { allowed: true, ...patchOf([{ op: 'add', path: '/metadata/annotations', value: annotations }, ...more(object)]) };
  };
/** Adds something only once, so that a second call changes nothing. */
const once =
  (name: string): Reviewer =>
  ({ object }) => {
    if (object.data?.[name] !== undefined) return { allowed: true, warnings: [`${name} again`] };
    return { allowed: true, ...patchOf([{ op: 'add', path: `/data/${name}`, value: 'yes' }]) };
  };

export const reviewers: Readonly<Record<string, Reviewer>> = {
  '/mark': marking,
  '/a': named('a'),
  '/b': named('b'),
  '/c': named('c'),
  '/once-a': once('a'),
  '/once-b': once('b'),
  '/warn': ({ operation, name, subResource, dryRun }) => ({
    allowed: true,
    warnings: [`${operation} ${name} ${subResource ?? ''} ${dryRun}`],
  }),
  '/deny': ({ name }) => ({ allowed: false, status: { message: `no ${name}` } }),
};

const group = '/apis/admissionregistration.k8s.io/v1';
const inNamespace = { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } };
const rule = (resources: string[], more: Any = {}) => ({
  apiGroups: ['*'],
  apiVersions: ['*'],
  operations: ['*'],
  resources,
  ...more,
});
const webhook = (name: string, path: string, more: Any = {}) => ({
  name: `${name}.example.com`,
  clientConfig: { url: `ADMISSION_URL${path}`, caBundle: 'ADMISSION_CA' },
  namespaceSelector: inNamespace,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  rules: [rule(['configmaps'])],
  ...more,
});
const register = (kind: 'Mutating' | 'Validating', name: string, ...webhooks: Any[]): Request => [
  'POST',
  `${group}/${kind.toLowerCase()}webhookconfigurations`,
  { metadata: { name }, webhooks },
];
const unregister = (kind: 'Mutating' | 'Validating', name: string): Request => [
  'DELETE',
  `${group}/${kind.toLowerCase()}webhookconfigurations/${name}`,
];
const settled: Step = { settleMs: 2_500 };
const maps = '/api/v1/namespaces/NS/configmaps';
const create = (name: string, more: Any = {}, query = ''): Request => [
  'POST',
  `${maps}?fieldManager=me${query}`,
  { metadata: { name, ...more.metadata }, data: { k: 'v', ...more.data } },
];
const deployments = (version: string) => `/apis/apps/${version}/namespaces/NS/deployments`;
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const json = { 'content-type': 'application/json-patch+json' },
  merge = { 'content-type': 'application/merge-patch+json' },
  strategic = { 'content-type': 'application/strategic-merge-patch+json' },
  apply = { 'content-type': 'application/apply-patch+yaml' };
const autoscalers = (version: string) => `/apis/autoscaling/${version}/namespaces/NS/horizontalpodautoscalers`;
const autoscaler = (name: string, more: Any) => ({
  metadata: { name },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3, ...more },
});

/** Converts between `size` of v1 and `spec.size` of v2. */
export function convert(object: Any, apiVersion: string): Any {
  const { size, spec, ...rest } = object;
  const value = size ?? spec?.size;
  return apiVersion.endsWith('/v1') ? { ...rest, apiVersion, size: value } : { ...rest, apiVersion, spec: { size: value } };
}
const customGroup = 'NS.example.com';
const text = { type: 'string' };
const customVersions = [
  { name: 'v1', schema: { size: text } },
  { name: 'v2', schema: { spec: { type: 'object', properties: { size: text, mode: { ...text, default: 'plain' } } } } },
].map(({ name, schema }, i) => ({
  name,
  served: true,
  storage: i === 0,
  schema: { openAPIV3Schema: { type: 'object', properties: schema } },
}));
const definition = (conversion: Any): Request => [
  'POST',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  {
    metadata: { name: `tools.${customGroup}` },
    spec: {
      group: customGroup,
      scope: 'Namespaced',
      names: { plural: 'tools', singular: 'tool', kind: 'Tool', listKind: 'ToolList' },
      versions: customVersions,
      conversion,
    },
  },
];
const byWebhook = {
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { url: 'CONVERSION_URL', caBundle: 'CONVERSION_CA' },
  },
};
const tools = (version: string) => `/apis/${customGroup}/${version}/namespaces/NS/tools`;
const tool = (version: string, name: string, more: Any) => ({
  apiVersion: `${customGroup}/${version}`,
  kind: 'Tool',
  metadata: { name },
  ...more,
});
const toolRule = (version: string) =>
  rule(['tools'], { apiGroups: [customGroup], apiVersions: [version], operations: ['CREATE', 'UPDATE'] });
const custom = (conversion: Any): readonly Step[] => [
  definition(conversion),
  { until: `/apis/${customGroup}/v2/namespaces/NS/tools`, holds: () => true },
  register(
    'Mutating',
    'NS',
    webhook('v1', '/mark', { rules: [toolRule('v1')] }),
    webhook('v2', '/mark', { rules: [toolRule('v2')] }),
    webhook('exact', '/mark', { rules: [toolRule('v2')], matchPolicy: 'Exact' }),
  ),
  settled,
  ['POST', `${tools('v1')}?fieldManager=me`, tool('v1', 'one', { size: 'l' })],
  ['POST', `${tools('v2')}?fieldManager=me`, tool('v2', 'two', { spec: { size: 's' } })],
  ['PATCH', `${tools('v2')}/one?fieldManager=me`, { spec: { size: 'm' } }, merge],
  unregister('Mutating', 'NS'),
  settled,
  ['DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/tools.${customGroup}`],
];

const conversations: Conversations = {
  custom: custom({ strategy: 'None' }),
  converted: custom(byWebhook),
  equivalent: [
    register(
      'Mutating',
      'NS',
      webhook('v1', '/mark', {
        rules: [rule(['horizontalpodautoscalers'], { apiVersions: ['v1'], apiGroups: ['autoscaling'] })],
      }),
      webhook('v2', '/mark', {
        rules: [rule(['horizontalpodautoscalers'], { apiVersions: ['v2'], apiGroups: ['autoscaling'] })],
      }),
      webhook('exact', '/mark', {
        rules: [rule(['horizontalpodautoscalers'], { apiVersions: ['v1'], apiGroups: ['autoscaling'] })],
        matchPolicy: 'Exact',
      }),
      webhook('beta', '/mark', {
        rules: [rule(['horizontalpodautoscalers'], { apiVersions: ['v2'] })],
        admissionReviewVersions: ['v1beta1', 'v1'],
      }),
    ),
    settled,
    ['POST', autoscalers('v1'), autoscaler('one', { targetCPUUtilizationPercentage: 50 })],
    ['POST', autoscalers('v2'), autoscaler('two', { metrics: [] })],
    ['PATCH', `${autoscalers('v2')}/one`, { spec: { maxReplicas: 7 } }, merge],
    unregister('Mutating', 'NS'),
    settled,
  ],
  order: [
    register('Mutating', 'NS-2', webhook('one', '/c'), webhook('two', '/a')),
    register('Mutating', 'NS-1', webhook('z', '/b'), webhook('y', '/a')),
    settled,
    create('ordered'),
    unregister('Mutating', 'NS-1'),
    unregister('Mutating', 'NS-2'),
    settled,
  ],
  reinvocation: [
    register(
      'Mutating',
      'NS',
      webhook('a', '/once-a', { reinvocationPolicy: 'IfNeeded' }),
      webhook('b', '/once-b', { reinvocationPolicy: 'IfNeeded' }),
      webhook('never', '/warn'),
    ),
    settled,
    create('changed-by-both'),
    create('changed-by-none', { data: { a: 'x', b: 'x' } }),
    create('changed-by-first', { data: { b: 'x' } }),
    unregister('Mutating', 'NS'),
    settled,
  ],
  selectors: [
    register(
      'Mutating',
      'NS',
      webhook('object', '/a', { objectSelector: { matchLabels: { call: 'a' } } }),
      webhook('expression', '/b', { objectSelector: { matchExpressions: [{ key: 'call', operator: 'NotIn', values: ['a'] }] } }),
      webhook('cluster', '/c', { rules: [rule(['configmaps'], { scope: 'Cluster' })] }),
      webhook('namespaced', '/c', { rules: [rule(['configmaps'], { scope: 'Namespaced' })] }),
      webhook('group', '/c', { rules: [rule(['configmaps'], { apiGroups: ['apps'] })] }),
      webhook('version', '/c', { rules: [rule(['configmaps'], { apiVersions: ['v2'] })] }),
      webhook('update', '/b', { rules: [rule(['configmaps'], { operations: ['UPDATE'] })] }),
      webhook('subresources', '/b', { rules: [rule(['configmaps/*', 'pods'])] }),
    ),
    settled,
    create('selected', { metadata: { labels: { call: 'a' } } }),
    create('other'),
    ['PATCH', `${maps}/other`, { metadata: { labels: { call: 'a' } } }, merge],
    ['PATCH', `${maps}/selected`, { metadata: { labels: { call: null } } }, merge],
    unregister('Mutating', 'NS'),
    settled,
  ],
  operations: [
    register('Validating', 'NS', webhook('all', '/warn', { rules: [rule(['*/*'])] })),
    settled,
    create('x'),
    create('y', {}, '&dryRun=All'),
    ['PUT', `${maps}/x`, { metadata: { name: 'x' }, data: { a: '1' } }],
    ['PATCH', `${maps}/x`, [{ op: 'add', path: '/data/b', value: '2' }], json],
    ['PATCH', `${maps}/x`, { data: { c: '3' } }, merge],
    ['PATCH', `${maps}/x`, { data: { d: '4' } }, strategic],
    [
      'PATCH',
      `${maps}/x?fieldManager=m`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { e: '5' } },
      apply,
    ],
    ['PATCH', `${maps}/z?fieldManager=m`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'z' } }, apply],
    ['GET', `${maps}/z`],
    ['DELETE', `${maps}/z`],
    ['DELETE', `${maps}?dryRun=All`],
    ['POST', deployments('v1'), deployment('d')],
    ['PATCH', `${deployments('v1')}/d/scale`, { spec: { replicas: 2 } }, merge],
    ['PATCH', `${deployments('v1')}/d/status`, { status: { replicas: 2 } }, merge],
    unregister('Validating', 'NS'),
    settled,
  ],
  'dry-run': [
    register(
      'Validating',
      'NS',
      webhook('none', '/warn', { objectSelector: { matchLabels: { case: 'none' } } }),
      webhook('on-dry-run', '/warn', { objectSelector: { matchLabels: { case: 'on-dry-run' } }, sideEffects: 'NoneOnDryRun' }),
    ),
    settled,
    create('none', { metadata: { labels: { case: 'none' } } }, '&dryRun=All'),
    create('on', { metadata: { labels: { case: 'on-dry-run' } } }, '&dryRun=All'),
    unregister('Validating', 'NS'),
    settled,
  ],
  conditions: [
    register(
      'Validating',
      'NS',
      webhook('conditions', '/deny', {
        matchConditions: [
          { name: 'name', expression: "object.metadata.name.startsWith('deny')" },
          { name: 'user', expression: "request.userInfo.username != 'nobody'" },
          { name: 'authorizer', expression: "authorizer.group('').resource('pods').namespace('NS').check('get').allowed()" },
        ],
      }),
      webhook('errors', '/deny', {
        objectSelector: { matchLabels: { case: 'error' } },
        matchConditions: [{ name: 'error', expression: 'object.spec.missing == 1' }],
      }),
      webhook('ignored', '/deny', {
        objectSelector: { matchLabels: { case: 'ignored' } },
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'error', expression: 'object.spec.missing == 1' }],
      }),
      webhook('half', '/deny', {
        objectSelector: { matchLabels: { case: 'half' } },
        matchConditions: [
          { name: 'error', expression: 'object.spec.missing == 1' },
          { name: 'false', expression: 'false' },
        ],
      }),
    ),
    settled,
    create('deny-me'),
    create('allowed'),
    create('error', { metadata: { labels: { case: 'error' } } }),
    create('ignored', { metadata: { labels: { case: 'ignored' } } }),
    create('half', { metadata: { labels: { case: 'half' } } }),
    unregister('Validating', 'NS'),
    settled,
  ],
  several: [
    register('Validating', 'NS', webhook('denies', '/deny'), webhook('warns', '/warn')),
    settled,
    create('x'),
    ['PATCH', `${group}/validatingwebhookconfigurations/NS`, { webhooks: [] }, merge],
    settled,
    create('x'),
    unregister('Validating', 'NS'),
    settled,
  ],
  namespaces: [
    register(
      'Validating',
      'NS',
      webhook('ns', '/warn', { rules: [rule(['namespaces'])], namespaceSelector: { matchLabels: { of: 'NS' } } }),
    ),
    settled,
    ['POST', '/api/v1/namespaces', { metadata: { name: 'NS-x', labels: { of: 'NS' } } }],
    ['PATCH', '/api/v1/namespaces/NS-x', { metadata: { labels: { a: 'b' } } }, merge],
    ['PATCH', '/api/v1/namespaces/NS-x', { metadata: { labels: { of: null } } }, merge],
    ['POST', '/api/v1/namespaces', { metadata: { name: 'NS-y' } }],
    unregister('Validating', 'NS'),
    settled,
  ],
};
export default conversations;
