import type { Conversations, Request, Step } from '../conversation.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const things = (version: string) => `/apis/NS.example.com/${version}/namespaces/NS/things`;
const settled: Step = { settleMs: 12_000 };

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer' },
          kind: { type: 'string', default: 'plain' },
          items: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'integer' } } },
          },
          plain: { type: 'array', items: { type: 'string' } },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      status: { type: 'object', properties: { size: { type: 'integer' } } },
    },
  },
};

const definition: Request = [
  'POST',
  definitions,
  {
    metadata: { name: 'things.NS.example.com' },
    spec: {
      group: 'NS.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: ['v1', 'v2'].map((name) => ({
        name,
        served: true,
        storage: name === 'v1',
        schema,
        subresources: { status: {} },
      })),
    },
  },
];

const established: Step = {
  until: `${definitions}/things.NS.example.com`,
  holds: ({ status }) =>
    status.conditions?.some(({ type, status: is }: { type: string; status: string }) => type === 'Established' && is === 'True'),
};

const rule = (versions: readonly string[], resources = ['things'], operations = ['CREATE', 'UPDATE']) => ({
  resourceRules: [{ apiGroups: ['NS.example.com'], apiVersions: versions, operations, resources }],
});

function policy(kind: 'validating' | 'mutating', name: string, spec: object, bound: object = {}): Step[] {
  const policyName = `NS-${name}`;
  const actions = kind === 'validating' ? { validationActions: ['Deny'] } : {};
  return [
    ['POST', `${group}/${kind}admissionpolicies`, { metadata: { name: policyName }, spec }],
    [
      'POST',
      `${group}/${kind}admissionpolicybindings`,
      { metadata: { name: policyName }, spec: { policyName, ...actions, ...bound } },
    ],
  ];
}

function removed(kind: 'validating' | 'mutating', ...names: string[]): Step[] {
  return names.flatMap((name): Step[] => [
    ['DELETE', `${group}/${kind}admissionpolicybindings/NS-${name}`],
    ['DELETE', `${group}/${kind}admissionpolicies/NS-${name}`],
  ]);
}

function thing(name: string, spec: object, version = 'v1', labels: object = {}): Request {
  return ['POST', things(version), { apiVersion: `NS.example.com/${version}`, kind: 'Thing', metadata: { name, labels }, spec }];
}

const shown =
  "'%s %s %s %s %s'.format([object.apiVersion, request.kind.version, request.requestKind.version, request.resource.version, request.requestResource.version])";
const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const json = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** Mutations, each selected by the label `test` of an object. */
const mutations: Readonly<Record<string, object>> = {
  scalar: apply('Object{spec: Object.spec{size: object.spec.size + 1}}'),
  item: apply("Object{spec: Object.spec{items: [Object.spec.items{name: 'a', value: 2}, Object.spec.items{name: 'new'}]}}"),
  atomic: apply("Object{spec: Object.spec{plain: ['x']}}"),
  unknown: apply('Object{spec: Object.spec{nope: 1}}'),
  wrong: apply("Object{spec: Object.spec{size: 'x'}}"),
  free: apply('Object{spec: Object.spec{free: Object.spec.free{a: 1}}}'),
  patch: json("[JSONPatch{op: 'add', path: '/spec/items/-', value: Object.spec.items{name: 'z', value: 9}}]"),
  pruned: json("[JSONPatch{op: 'add', path: '/spec/nope', value: 1}]"),
  invalid: json("[JSONPatch{op: 'replace', path: '/spec/size', value: 'x'}]"),
};

export default {
  validating: [
    definition,
    established,
    ...policy('validating', 'p', {
      matchConstraints: rule(['v2']),
      validations: [{ expression: 'object.spec.size < 5', messageExpression: shown }],
    }),
    ...policy('validating', 'q', {
      matchConstraints: { ...rule(['v2']), matchPolicy: 'Exact' },
      validations: [{ expression: "object.spec.kind == 'plain'", messageExpression: shown }],
    }),
    ...policy('validating', 'r', {
      matchConstraints: rule(['*'], ['things/status'], ['UPDATE']),
      validations: [
        { expression: 'object.status.size < 5', messageExpression: 'string(object.status.size) + string(oldObject.spec.size)' },
      ],
    }),
    settled,
    thing('one', { size: 1 }),
    thing('two', { size: 9 }),
    thing('three', { size: 9 }, 'v2'),
    thing('four', { size: 1, kind: 'other' }),
    thing('five', { size: 1, kind: 'other' }, 'v2'),
    ['PATCH', `${things('v1')}/one`, { spec: { size: 7 } }, { 'content-type': 'application/merge-patch+json' }],
    ['PATCH', `${things('v2')}/one/status`, { status: { size: 7 } }, { 'content-type': 'application/merge-patch+json' }],
    ['PATCH', `${things('v2')}/one/status`, { status: { size: 3 } }, { 'content-type': 'application/merge-patch+json' }],
    ['DELETE', `${things('v1')}/one`],
    ['DELETE', `${things('v1')}/four`],
    ...removed('validating', 'p', 'q', 'r'),
    ['DELETE', `${definitions}/things.NS.example.com`],
  ],
  params: [
    definition,
    established,
    thing('small', { size: 2 }),
    ...policy(
      'validating',
      'p',
      {
        paramKind: { apiVersion: 'NS.example.com/v2', kind: 'Thing' },
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } },
        },
        validations: [
          {
            expression: 'size(object.data) <= params.spec.size',
            messageExpression: "'at most ' + string(params.spec.size) + ' by ' + params.apiVersion + ' ' + params.spec.kind",
          },
        ],
      },
      { paramRef: { name: 'small', namespace: 'NS', parameterNotFoundAction: 'Deny' } },
    ),
    settled,
    ['POST', '/api/v1/namespaces/NS/configmaps', { metadata: { name: 'two' }, data: { a: '1', b: '2' } }],
    ['POST', '/api/v1/namespaces/NS/configmaps', { metadata: { name: 'three' }, data: { a: '1', b: '2', c: '3' } }],
    ['DELETE', `${things('v1')}/small`],
    { settleMs: 2000 },
    ['POST', '/api/v1/namespaces/NS/configmaps', { metadata: { name: 'none' }, data: {} }],
    ...removed('validating', 'p'),
    ['DELETE', `${definitions}/things.NS.example.com`],
  ],
  mutating: [
    definition,
    established,
    ...Object.entries(mutations).flatMap(([test, mutation]) =>
      policy('mutating', test, {
        reinvocationPolicy: 'Never',
        matchConstraints: { ...rule(['v1']), objectSelector: { matchLabels: { test } } },
        mutations: [mutation],
      }),
    ),
    settled,
    ...Object.keys(mutations).map((test) => thing(test, { size: 1, items: [{ name: 'a' }, { name: 'b' }] }, 'v1', { test })),
    thing('other', { size: 1 }, 'v2', { test: 'scalar' }),
    ...removed('mutating', ...Object.keys(mutations)),
    ['DELETE', `${definitions}/things.NS.example.com`],
  ],
} satisfies Conversations;
