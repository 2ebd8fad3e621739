import type { Conversations, Request, Step } from '../conversation.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/NS/configmaps';
const configMapRule = {
  apiGroups: [''],
  apiVersions: ['*'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
};
const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } } };
const settled: Step = { settleMs: 4000 };

function policy(name: string, spec: object, rule: object = configMapRule): Request {
  const matchConstraints = { resourceRules: [rule], ...here };
  return [
    'POST',
    `${group}/validatingadmissionpolicies`,
    { metadata: { name: `NS-${name}` }, spec: { matchConstraints, ...spec } },
  ];
}

function binding(name: string, spec: object = {}, to = name): Request {
  const complete = { policyName: `NS-${to}`, validationActions: ['Deny'], ...spec };
  return ['POST', `${group}/validatingadmissionpolicybindings`, { metadata: { name: `NS-${name}` }, spec: complete }];
}

function removed(...names: string[]): Step[] {
  return names.flatMap((name): Step[] => [
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-${name}`],
    ['DELETE', `${group}/validatingadmissionpolicies/NS-${name}`],
  ]);
}

function configMap(name: string, data: object = {}, labels?: object): Request {
  return ['POST', configMaps, { metadata: { name, ...(labels && { labels }) }, data }];
}

/** A policy and its binding, the requests they decide, and their removal. */
function applied(spec: object, steps: readonly Step[], bound: object = {}, rule?: object): readonly Step[] {
  return [policy('p', spec, rule), binding('p', bound), settled, ...steps, ...removed('p')];
}

const long = 'x'.repeat(6000);
const tens = (names: string): string =>
  [...names].reduce((inner, name) => `[1,2,3,4,5,6,7,8,9,10].all(${name}, ${inner})`, 'true');

export default {
  definitions: [
    policy('p', {
      matchConditions: [
        { name: 'a', expression: ' object.x + ' },
        { name: 'b', expression: 'variables.a == 1' },
        { name: 'c', expression: 'params == null' },
        { name: 'd', expression: "'text'" },
      ],
      variables: [
        { name: 'a', expression: 'variables.b' },
        { name: 'b', expression: '1 +' },
        { name: 'c', expression: 'variables.b == 1 && variables.a' },
        { name: 'd', expression: "authorizer.group('').resource('pods')" },
      ],
      validations: [
        { expression: ' variables.nope', messageExpression: ' 1 ' },
        { expression: 'object.a', messageExpression: "authorizer.path('/x').check('get').reason()" },
        { expression: 'timestamp("2020-01-01T00:00:00Z")', messageExpression: 'params.a.b' },
        { expression: '[1, 2].map(x, x * 2)' },
        { expression: "'a'.matches('[')" },
        { expression: 'namespaceObject.metadata.nope == request.nope' },
        { expression: "variables.d.check('get').allowed()" },
      ],
      auditAnnotations: [
        { key: 'a', valueExpression: ' 1 ' },
        { key: 'b', valueExpression: 'null' },
        { key: 'c', valueExpression: 'object.x' },
        { key: 'd', valueExpression: 'type(1)' },
      ],
    }),
    policy('q', { validations: [{ expression: 'variables.a' }] }),
    policy('r', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [{ expression: 'true', messageExpression: 'string(params.x)' }],
    }),
    ['DELETE', `${group}/validatingadmissionpolicies/NS-r`],
    [
      'POST',
      `${group}/mutatingadmissionpolicies`,
      {
        metadata: { name: 'NS-m' },
        spec: {
          reinvocationPolicy: 'Never',
          matchConstraints: { resourceRules: [{ ...configMapRule, operations: ['CREATE'] }] },
          variables: [{ name: 'a', expression: '1 +' }],
          mutations: [
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: ' 1 ' } },
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object.spec{}' } },
            { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{spec: Other{}}' } },
            { patchType: 'JSONPatch', jsonPatch: { expression: '[]' } },
            { patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 1, path: 'x'}]" } },
            { patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 'add', nope: 'x'}]" } },
            { patchType: 'JSONPatch', jsonPatch: { expression: "[JSONPatch{op: 'add', path: jsonpatch.escapeKey(1)}]" } },
          ],
        },
      },
    ],
    [
      'POST',
      `${group}/validatingwebhookconfigurations`,
      {
        metadata: { name: 'NS-w' },
        webhooks: [
          {
            name: 'a.example.com',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            clientConfig: { url: 'https://127.0.0.1:1' },
            matchConditions: [
              { name: 'a', expression: ' object.x ' },
              { name: 'b', expression: 'variables.x == 1' },
              { name: 'c', expression: 'params == 1' },
              { name: 'd', expression: "authorizer.requestResource.check('get').allowed() && Object{} == Object{}" },
            ],
          },
        ],
      },
    ],
  ],
  messages: applied(
    {
      validations: [
        { expression: "!has(object.data.a) || object.data.a != 'expression'" },
        { expression: "!has(object.data.a) || object.data.a != 'message'", message: ' the message ' },
        {
          expression: "!has(object.data.a) || !object.data.a.startsWith('computed')",
          messageExpression: "'computed ' + object.data.a + ' for ' + request.userInfo.username",
          message: 'not used',
        },
        { expression: "!has(object.data.a) || object.data.a != 'blank'", messageExpression: "'  '", message: 'blank falls back' },
        { expression: "!has(object.data.a) || object.data.a != 'lines'", messageExpression: "'a\\nb'" },
        {
          expression: "!has(object.data.a) || object.data.a != 'long'",
          messageExpression: 'string(object.data.b)',
          message: 'too long',
        },
        { expression: "!has(object.data.a) || object.data.a != 'broken'", messageExpression: 'string(object.data.missing)' },
        { expression: "!has(object.data.a) || object.data.a != 'forbidden'", reason: 'Forbidden' },
        { expression: "!has(object.data.a) || object.data.a != 'large'", reason: 'RequestEntityTooLarge' },
        { expression: "!has(object.data.a) || object.data.a != 'invalid'", reason: 'Invalid' },
      ],
    },
    [
      configMap('fine', { a: 'fine' }),
      configMap('none'),
      ...['expression', 'message', 'computed 1', 'blank', 'lines', 'broken', 'forbidden', 'large', 'invalid'].map((a) =>
        configMap('denied', { a }),
      ),
      configMap('denied', { a: 'long', b: long }),
      ['POST', `${configMaps}?dryRun=All`, { metadata: { name: 'dry' }, data: { a: 'message' } }],
      ['PUT', `${configMaps}/fine`, { metadata: { name: 'fine' }, data: { a: 'message' } }],
      ['PATCH', `${configMaps}/fine`, { data: { a: 'expression' } }, { 'content-type': 'application/merge-patch+json' }],
      ['GET', `${configMaps}/fine`],
    ],
  ),
  variables: applied(
    {
      variables: [
        { name: 'a', expression: "has(object.data) && 'a' in object.data ? object.data.a : 'none'" },
        { name: 'list', expression: "variables.a.split(',')" },
        { name: 'sizes', expression: 'variables.list.map(each, size(each))' },
        { name: 'broken', expression: 'object.data.missing' },
        { name: 'when', expression: "timestamp('2020-01-01T00:00:00Z')" },
      ],
      validations: [
        {
          expression: 'variables.sizes.sum() < 5',
          messageExpression: "'sizes are ' + string(variables.sizes.sum()) + ' of ' + variables.list.join('+')",
        },
        { expression: "variables.a != 'broken' || variables.broken == '1'" },
        { expression: "has(variables.a) && variables.when < timestamp('2021-01-01T00:00:00Z')" },
      ],
    },
    [configMap('one', { a: 'a,b' }), configMap('two', { a: 'abc,def,gh' }), configMap('three', { a: 'broken' })],
  ),
  request: applied(
    {
      validations: [
        {
          expression: 'object != null && object.data.a == "ok"',
          messageExpression:
            "'%s %s/%s %s %s/%s %s %s'.format([request.operation, request.kind.group, request.kind.version, request.kind.kind, request.resource.version, request.resource.resource, string(request.dryRun), request.name])",
        },
        {
          expression: "request.operation == 'DELETE' || object.data.b == 'ok'",
          messageExpression:
            "'%s %s %s %s'.format([request.userInfo.username, request.requestKind.kind, request.requestResource.resource, namespaceObject.metadata.labels['kubernetes.io/metadata.name']])",
        },
        {
          expression: "request.operation == 'DELETE' || object.data.c == 'ok'",
          messageExpression:
            "'%s %s %s %s'.format([request.options.kind, has(request.subResource) ? request.subResource : 'none', string(oldObject == null), has(request.userInfo.extra) ? 'extra' : 'no extra'])",
        },
        {
          expression: "request.operation == 'DELETE' || object.data.d == 'ok'",
          messageExpression:
            'string(has(object.metadata.uid)) + string(has(object.metadata.creationTimestamp)) + object.metadata.namespace',
        },
      ],
    },
    [
      configMap('x', { a: 'no' }),
      configMap('x', { a: 'ok', b: 'no' }),
      configMap('x', { a: 'ok', b: 'ok', c: 'no' }),
      configMap('x', { a: 'ok', b: 'ok', c: 'ok', d: 'no' }),
      configMap('x', { a: 'ok', b: 'ok', c: 'ok', d: 'ok' }),
      ['PUT', `${configMaps}/x`, { metadata: { name: 'x' }, data: { a: 'ok', b: 'ok', c: 'no' } }],
      ['POST', `${configMaps}?dryRun=All`, { metadata: { name: 'dry' }, data: { a: 'no' } }],
      ['DELETE', `${configMaps}/x`],
    ],
  ),
  params: [
    configMap('limits', { most: '3' }, { kind: 'limits' }),
    configMap('more', { most: '2' }, { kind: 'limits' }),
    policy('p', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConditions: [{ name: 'checked', expression: "has(object.data) && 'checked' in object.data" }],
      validations: [
        {
          expression: 'params == null || int(object.data.checked) <= int(params.data.most)',
          messageExpression: "'at most ' + params.data.most + ' by ' + params.metadata.name + ' ' + params.kind",
        },
      ],
    }),
    binding('p', { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('three', { checked: '3' }),
    configMap('four', { checked: '4' }),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-p`],
    binding('p', {
      paramRef: { selector: { matchLabels: { kind: 'limits' } }, namespace: 'NS', parameterNotFoundAction: 'Deny' },
    }),
    settled,
    configMap('five', { checked: '3' }),
    configMap('six', { checked: '2' }),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-p`],
    binding('p', { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('seven', { checked: '1' }),
    configMap('unchecked'),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-p`],
    binding('p', { paramRef: { name: 'missing', parameterNotFoundAction: 'Allow' } }),
    settled,
    configMap('eight', { checked: '100' }),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-p`],
    binding('p'),
    settled,
    configMap('nine', { checked: '100' }),
    ...removed('p'),
  ],
  'param-kinds': [
    policy('p', {
      paramKind: { apiVersion: 'example.com/v1', kind: 'Missing' },
      validations: [{ expression: 'params == null' }],
    }),
    binding('p', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('one'),
    ...removed('p'),
    policy('q', { paramKind: { apiVersion: 'v1', kind: 'Namespace' }, validations: [{ expression: 'params != null' }] }),
    binding('q', { paramRef: { name: 'NS', namespace: 'default', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('two'),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-q`],
    binding('q', { paramRef: { name: 'NS', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('three'),
    ...removed('q'),
    policy('r', {
      failurePolicy: 'Fail',
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['rbac.authorization.k8s.io'], apiVersions: ['*'], operations: ['CREATE'], resources: ['clusterroles'] },
        ],
        objectSelector: { matchLabels: { test: 'NS' } },
      },
      validations: [{ expression: 'params != null' }],
    }),
    binding('r', { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }),
    settled,
    ['POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'NS', labels: { test: 'NS' } } }],
    ...removed('r'),
  ],
  authorizer: applied(
    {
      variables: [{ name: 'mayGet', expression: "authorizer.requestResource.check('get').allowed()" }],
      validations: [
        {
          expression: "authorizer.group('').resource('configmaps').namespace('NS').check('create').allowed() && variables.mayGet",
        },
        {
          expression: "authorizer.serviceAccount('NS', 'default').group('').resource('secrets').check('get').allowed()",
          messageExpression: "'no secrets for ' + request.userInfo.username",
        },
      ],
    },
    [configMap('one')],
  ),
  'authorizer-in-messages': applied(
    {
      variables: [{ name: 'mayGet', expression: "authorizer.requestResource.check('get').allowed()" }],
      validations: [{ expression: 'false', messageExpression: "'may get: ' + string(variables.mayGet)" }],
    },
    [configMap('one')],
  ),
  errors: [
    policy('p', { validations: [{ expression: 'object.data.missing == "x"' }] }),
    binding('p'),
    policy('q', { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.missing == "x"' }] }),
    binding('q'),
    policy('r', {
      matchConditions: [
        { name: 'broken', expression: 'object.data.missing == "x"' },
        { name: 'also', expression: 'object.nothing == 1' },
      ],
      validations: [{ expression: 'false' }],
    }),
    settled,
    configMap('one', { a: '1' }),
    ...removed('p'),
    settled,
    configMap('two', { a: '1' }),
    binding('r'),
    settled,
    configMap('three', { a: '1' }),
    ...removed('q', 'r'),
  ],
  budgets: [
    policy('p', { validations: [{ expression: tens('abcdef') }] }),
    binding('p'),
    settled,
    configMap('one'),
    ...removed('p'),
    policy('q', { validations: Array.from({ length: 40 }, () => ({ expression: tens('abcde') })) }),
    binding('q'),
    settled,
    configMap('two'),
    ...removed('q'),
    policy('r', {
      variables: Array.from({ length: 40 }, (_, i) => ({ name: `v${i}`, expression: tens('abcde') })),
      validations: [{ expression: Array.from({ length: 40 }, (_, i) => `variables.v${i}`).join(' && ') }],
    }),
    binding('r'),
    settled,
    configMap('three'),
    ...removed('r'),
    policy('s', {
      matchConditions: Array.from({ length: 12 }, (_, i) => ({ name: `c${i}`, expression: tens('abcde') })),
      validations: [{ expression: 'true' }],
    }),
    binding('s'),
    settled,
    configMap('four'),
    ...removed('s'),
    policy('t', {
      validations: Array.from({ length: 30 }, () => ({ expression: 'false', messageExpression: `${tens('abcde')} ? 'a' : 'b'` })),
    }),
    binding('t'),
    settled,
    configMap('five'),
    ...removed('t'),
  ],
  actions: [
    policy('p', {
      validations: [
        { expression: "object.data.a == 'ok'", message: 'a is wrong' },
        { expression: "object.data.b == 'ok'", message: 'b is "wrong"' },
      ],
    }),
    binding('p', { validationActions: ['Warn', 'Audit'] }),
    settled,
    configMap('one', { a: 'no', b: 'no' }),
    configMap('two', { a: 'ok', b: 'no' }),
    configMap('three', { a: 'ok', b: 'ok' }),
    configMap('four', {}),
    binding('q', { matchResources: { objectSelector: { matchLabels: { strict: 'yes' } } } }, 'p'),
    settled,
    configMap('five', { a: 'no', b: 'ok' }, { strict: 'yes' }),
    configMap('six', { a: 'no', b: 'ok' }),
    ['DELETE', `${group}/validatingadmissionpolicybindings/NS-q`],
    ...removed('p'),
  ],
  subresources: [
    policy(
      'p',
      {
        validations: [
          {
            expression: 'object.spec.replicas < 3',
            messageExpression: "object.kind + ' ' + request.kind.group + ' ' + request.subResource",
          },
        ],
      },
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] },
    ),
    binding('p'),
    policy(
      'q',
      { validations: [{ expression: 'object.status.replicas < 3', messageExpression: 'request.subResource' }] },
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/status'] },
    ),
    binding('q'),
    policy(
      'r',
      { validations: [{ expression: 'oldObject.metadata.name != "kept" && object == null', message: 'it is kept' }] },
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        operations: ['DELETE'],
        resources: ['configmaps'],
        resourceNames: ['kept', 'other'],
      },
    ),
    binding('r'),
    settled,
    [
      'POST',
      '/apis/apps/v1/namespaces/NS/deployments',
      {
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/NS/deployments/web/scale',
      { spec: { replicas: 5 } },
      { 'content-type': 'application/merge-patch+json' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/NS/deployments/web/scale',
      { spec: { replicas: 2 } },
      { 'content-type': 'application/merge-patch+json' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/NS/deployments/web',
      { spec: { replicas: 5 } },
      { 'content-type': 'application/merge-patch+json' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/NS/deployments/web/status',
      { status: { replicas: 5 } },
      { 'content-type': 'application/merge-patch+json' },
    ],
    configMap('kept'),
    configMap('other'),
    configMap('free'),
    ['DELETE', `${configMaps}/kept`],
    ['DELETE', `${configMaps}/other`],
    ['DELETE', `${configMaps}/free`],
    ...removed('p', 'q', 'r'),
  ],
  connects: [
    ['POST', '/api/v1/namespaces/NS/serviceaccounts', { metadata: { name: 'default' } }],
    [
      'POST',
      '/api/v1/namespaces/NS/pods',
      { metadata: { name: 'web' }, spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] } },
    ],
    policy(
      'p',
      {
        validations: [
          {
            expression: "object.container != 'c'",
            messageExpression:
              "'%s %s %s %s'.format([object.kind, object.command.join('+'), request.operation, request.subResource])",
          },
        ],
      },
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/exec'] },
    ),
    binding('p'),
    settled,
    ['POST', '/api/v1/namespaces/NS/pods/web/exec?command=ls&command=-l&container=c&stdout=true'],
    ...removed('p'),
  ],
} satisfies Conversations;
