import type { Conversations, Request, Step } from '../conversation.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/NS/configmaps';
const deployments = '/apis/apps/v1/namespaces/NS/deployments';
const here = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'NS' } } };
const configMapRule = { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] };
const deploymentRule = { apiGroups: ['apps'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: ['deployments'] };
const settled: Step = { settleMs: 8000 };

function apply(expression: string): object {
  return { patchType: 'ApplyConfiguration', applyConfiguration: { expression } };
}

function json(expression: string): object {
  return { patchType: 'JSONPatch', jsonPatch: { expression } };
}

function policy(name: string, mutations: readonly object[], spec: object = {}, rule: object = configMapRule): Request {
  const matchConstraints = { resourceRules: [rule], ...here };
  const complete = { reinvocationPolicy: 'Never', matchConstraints, mutations, ...spec };
  return ['POST', `${group}/mutatingadmissionpolicies`, { metadata: { name: `NS-${name}` }, spec: complete }];
}

function binding(name: string, spec: object = {}): Request {
  const complete = { policyName: `NS-${name}`, ...spec };
  return ['POST', `${group}/mutatingadmissionpolicybindings`, { metadata: { name: `NS-${name}` }, spec: complete }];
}

function removed(...names: string[]): Step[] {
  return names.flatMap((name): Step[] => [
    ['DELETE', `${group}/mutatingadmissionpolicybindings/NS-${name}`],
    ['DELETE', `${group}/mutatingadmissionpolicies/NS-${name}`],
  ]);
}

function configMap(name: string, data: object = {}, labels?: object): Request {
  return ['POST', configMaps, { metadata: { name, ...(labels && { labels }) }, data }];
}

function deployment(name: string, spec: object = {}): Request {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }], ...spec },
  };
  return ['POST', deployments, { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, template } }];
}

/** Policies, each selected by the label `test` of an object, and a request for each. */
function each(cases: Readonly<Record<string, readonly object[]>>): readonly Step[] {
  const names = Object.keys(cases);
  return [
    ...names.flatMap((name): Step[] => [
      policy(name, cases[name] as readonly object[], {
        matchConstraints: { resourceRules: [configMapRule], ...here, objectSelector: { matchLabels: { test: name } } },
      }),
      binding(name),
    ]),
    settled,
    ...names.map((name) => configMap(name, { a: '1', 'x/y~z': '2' }, { test: name })),
    ...removed(...names),
  ];
}

export default {
  applied: each({
    data: [apply("Object{data: {'b': object.data.a + '2'}}")],
    labels: [apply("Object{metadata: Object.metadata{labels: {'added': 'yes', 'test': 'changed'}}}")],
    twice: [apply("Object{data: {'b': '2'}}"), apply("Object{data: {'c': object.data.b + '3'}}")],
    optional: [apply("Object{?data: optional.none(), metadata: Object.metadata{?labels: optional.of({'o': '1'})}}")],
    unknown: [apply('Object{spec: Object.spec{replicas: 1}}')],
    wrong: [apply('Object{data: {"a": 1}}')],
    names: [apply('Object{metadata: Object.spec{}}')],
    atomic: [
      apply(
        'Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{apiVersion: "v1", kind: "x", name: "x", uid: "x"}]}}',
      ),
    ],
    errors: [apply("Object{data: {'b': string(object.data.missing)}}"), apply("Object{data: {'c': '3'}}")],
    immutable: [apply('Object{immutable: true}')],
    nothing: [apply('Object{}')],
    owner: [
      apply(
        "Object{metadata: Object.metadata{annotations: {'user': request.userInfo.username, 'ns': namespaceObject.metadata.name}}}",
      ),
    ],
  }),
  'json-patches': each({
    add: [json("[JSONPatch{op: 'add', path: '/data/b', value: '2'}]")],
    replace: [json("[JSONPatch{op: 'replace', path: '/data/a', value: 'new'}, JSONPatch{op: 'remove', path: '/data/x~1y~0z'}]")],
    escape: [json("[JSONPatch{op: 'replace', path: '/data/' + jsonpatch.escapeKey('x/y~z'), value: 'escaped'}]")],
    move: [
      json("[JSONPatch{op: 'move', from: '/data/a', path: '/data/m'}, JSONPatch{op: 'copy', from: '/data/m', path: '/data/n'}]"),
    ],
    tested: [json("[JSONPatch{op: 'test', path: '/data/a', value: 'no'}, JSONPatch{op: 'add', path: '/data/b', value: '2'}]")],
    passed: [json("[JSONPatch{op: 'test', path: '/data/a', value: '1'}, JSONPatch{op: 'add', path: '/data/b', value: '2'}]")],
    missing: [json("[JSONPatch{op: 'remove', path: '/data/nope'}]")],
    nowhere: [json("[JSONPatch{op: 'add', path: '/spec/a/b', value: 1}]")],
    operation: [json("[JSONPatch{op: 'frob', path: '/data'}]")],
    number: [json("[JSONPatch{op: 'add', path: '/data/n', value: 1}]")],
    unknown: [json("[JSONPatch{op: 'add', path: '/spec', value: Object.spec{replicas: 1}}]")],
    object: [json("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}]")],
    typed: [
      json(
        "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{name: object.metadata.name, labels: Object.spec{a: 'b'}}}]",
      ),
    ],
    conditional: [json("has(object.data.a) ? [JSONPatch{op: 'add', path: '/data/has', value: 'a'}] : []")],
    proto: [
      json(
        "[JSONPatch{op: 'add', path: '/data/__proto__', value: 'x'}, JSONPatch{op: 'add', path: '/data/constructor', value: 'y'}]",
      ),
    ],
  }),
  deployments: [
    policy(
      'p',
      [
        apply(
          'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{initContainers: [Object.spec.template.spec.initContainers{name: "init", image: "init"}]}}}}',
        ),
        apply(
          'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{name: "c", env: [Object.spec.template.spec.containers.env{name: "B", value: "2"}]}]}}}}',
        ),
        json(
          '[JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: Object.spec.template.spec.containers{name: "d", image: "j", ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}}]',
        ),
        apply('Object{spec: Object.spec{replicas: object.spec.replicas + 2}}'),
      ],
      {},
      { ...deploymentRule, operations: ['CREATE'] },
    ),
    binding('p'),
    settled,
    deployment('web'),
    ['GET', `${deployments}/web`],
    ...removed('p'),
    policy(
      'q',
      [apply('Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {"a": "c"}}}}')],
      {},
      deploymentRule,
    ),
    binding('q'),
    settled,
    deployment('atomic'),
    ...removed('q'),
    policy(
      'r',
      [
        apply(
          'Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [Object.spec.template.spec.containers{image: "x"}]}}}}',
        ),
      ],
      {},
      deploymentRule,
    ),
    binding('r'),
    settled,
    deployment('unkeyed'),
    ...removed('r'),
  ],
  params: [
    ['POST', '/api/v1/namespaces/NS/secrets', { metadata: { name: 'settings' }, type: 'example.com/a' }],
    policy('p', [apply("Object{data: {'param': params.type, 'kind': params.kind}}")], {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      variables: [{ name: 'marked', expression: "object.metadata.name.startsWith('m')" }],
      matchConditions: [{ name: 'marked', expression: "object.metadata.name.startsWith('m')" }],
    }),
    binding('p', { paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('marked'),
    configMap('unmarked'),
    ['DELETE', `${group}/mutatingadmissionpolicybindings/NS-p`],
    binding('p', { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('most'),
    configMap('other'),
    ...removed('p'),
    policy('q', [apply("Object{data: {'x': 'y'}}")], { paramKind: { apiVersion: 'example.com/v1', kind: 'Missing' } }),
    binding('q', { paramRef: { name: 'missing', parameterNotFoundAction: 'Deny' } }),
    settled,
    configMap('more'),
    ...removed('q'),
    policy('r', [apply("Object{data: {'x': string(object.data.y)}}")], { failurePolicy: 'Ignore' }),
    binding('r'),
    settled,
    configMap('ignored'),
    ...removed('r'),
    policy('s', [apply("Object{data: {'x': 'y'}}")], { matchConditions: [{ name: 'broken', expression: 'object.nope == 1' }] }),
    binding('s'),
    settled,
    configMap('broken'),
    ...removed('s'),
  ],
} satisfies Conversations;
