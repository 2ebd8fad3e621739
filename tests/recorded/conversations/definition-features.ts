import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const merge = { 'content-type': 'application/merge-patch+json' },
  apply = { 'content-type': 'application/apply-patch+yaml' },
  strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const group = 'NS.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' },
  integer = { type: 'integer' };
const properties = {
  spec: {
    type: 'object',
    properties: { color: text, size: integer, replicas: integer, when: { ...text, format: 'date-time' } },
  },
  status: { type: 'object', properties: { replicas: integer, phase: text } },
};
const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...more,
});
const definition = (plural: string, scope: string, versions: object[], more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope, names: { plural, kind: `Kind${plural}`, ...more }, versions },
});
const established = (plural: string, path: string): Step[] => [
  {
    until: `${definitions}/${plural}.${group}`,
    holds: ({ status }: Any) => status.conditions?.some((c: Any) => c.type === 'Established' && c.status === 'True'),
  },
  { until: path, holds: () => true },
];
const things = `/apis/${group}/v1/namespaces/NS/things`;
const all = `/apis/${group}/v1/things`;
const thing = (name: string, more: object = {}, v = 'v1') => ({
  apiVersion: `${group}/${v}`,
  kind: 'Kindthings',
  metadata: { name },
  ...more,
});
const full = {
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
};
const define = (versions: object[], more: object = {}): Step[] => [
  ['POST', definitions, definition('things', 'Namespaced', versions, more)],
  ...established('things', things),
];
const end: Step = ['DELETE', `${definitions}/things.${group}`];
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
/** A 404 without a Status is not JSON and cannot be recorded. */
const get = (path: string, headers?: Record<string, string>): Request => ['GET', path, undefined, headers];

const conversations: Conversations = {
  'definition-status': [
    ...define([version('v1'), version('v2', { served: false })], { shortNames: ['th'], categories: ['all', 'c'] }),
    get(`${definitions}/things.${group}`),
    ['PATCH', `${definitions}/things.${group}`, { spec: { names: { shortNames: ['tt'] } } }, merge],
    {
      until: `${definitions}/things.${group}`,
      holds: ({ status }: Any) => status.acceptedNames.shortNames?.[0] === 'tt',
    },
    get(`${definitions}/things.${group}`),
    ['PATCH', `${definitions}/things.${group}/status`, { status: { observedGeneration: 7 } }, merge],
    [
      'PATCH',
      `${definitions}/things.${group}/status?fieldManager=labels`,
      { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } }, spec: { scope: 'Cluster' } },
      merge,
    ],
    get(`/apis/${group}/v1`),
    get(`/apis/${group}`),
    end,
  ],
  verbs: [
    ...define([version('v1')]),
    ['POST', things, thing('a', { status: { phase: 'x' } })],
    get(`${things}/a/status`),
    get(`${things}/a/scale`),
    get(`${things}/a/other`),
    ['POST', `${things}/a`, thing('a')],
    ['PUT', things, thing('a')],
    ['PATCH', things, {}, merge],
    ['PATCH', `${things}/a`, {}, strategic],
    ['PATCH', `${things}/a`, '{}', { 'content-type': 'application/json' }],
    ['PUT', `${things}/a`, thing('a')],
    ['PUT', `${things}/missing`, thing('missing')],
    get(`${things}/a`, { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' }),
    ['DELETE', things],
    end,
  ],
  subresources: [
    ...define([version('v1', full)]),
    ['POST', things, thing('a', { spec: { replicas: 2 }, status: { phase: 'x' } })],
    ['POST', `${things}/a/status`, thing('a')],
    ['DELETE', `${things}/a/status`],
    ['DELETE', `${things}/a/scale`],
    get(`${things}/a/scale`),
    ['PATCH', `${things}/a/scale`, { spec: { replicas: 5 } }, merge],
    ['PATCH', `${things}/a/status`, { status: { phase: 'y', replicas: -1 }, spec: { replicas: 9 } }, merge],
    ['PATCH', `${things}/a/status`, { status: { phase: 'y', replicas: 1 }, spec: { replicas: 9 } }, merge],
    get(`/apis/${group}/v1`),
    end,
  ],
  selectors: [
    ...define([version('v1', { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }] })]),
    ['POST', things, thing('a', { spec: { color: 'red', size: 1 } })],
    ['POST', things, thing('b', { spec: { color: 'blue', size: 2 } })],
    get(`${things}?fieldSelector=spec.color%3Dred`),
    get(`${things}?fieldSelector=spec.size!%3D1`),
    get(`${things}?fieldSelector=metadata.name%3Db,spec.color%3Dblue`),
    get(`${things}?fieldSelector=spec.other%3Db`),
    get(`${all}?fieldSelector=metadata.namespace%3DNS`),
    get(`${things}?labelSelector=a%3D`),
    ['DELETE', `${things}?fieldSelector=spec.color%3Dred`],
    get(things),
    end,
  ],
  columns: [
    ...define([
      version('v1', {
        additionalPrinterColumns: [
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1, description: 'd', format: 'password' },
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'When', type: 'date', jsonPath: '.spec.when' },
          { name: 'Missing', type: 'boolean', jsonPath: '.status.nope' },
        ],
      }),
      version('v2'),
    ]),
    ['POST', things, thing('a', { spec: { color: 'red', size: 1 } })],
    get(`${things}/a`, table),
    get(things.replace('/v1/', '/v2/'), table),
    end,
  ],
  warnings: [
    [
      'POST',
      definitions,
      definition('things', 'Namespaced', [
        version('v1', { deprecated: true }),
        version('v2'),
        version('v3', { deprecated: true, deprecationWarning: 'go away' }),
      ]),
    ],
    ...established('things', things),
    ['POST', things, thing('a', { metadata: { name: 'a', finalizers: ['plain'] }, unknown: 1 })],
    get(`${things.replace('/v1/', '/v3/')}/a`),
    get(`${things.replace('/v1/', '/v2/')}/a`),
    ['PATCH', `${things}/a`, { metadata: { finalizers: null } }, merge],
    [
      'POST',
      `${definitions}?dryRun=All`,
      definition('others', 'Namespaced', [
        version('v1', {
          schema: {
            openAPIV3Schema: { type: 'object', properties: { a: { ...text, format: 'nonsense' }, b: { ...text, nope: 1 } } },
          },
        }),
      ]),
    ],
    end,
  ],
  scopes: [
    ['POST', definitions, definition('wides', 'Cluster', [version('v1')])],
    ...established('wides', `/apis/${group}/v1/wides`),
    ['POST', `/apis/${group}/v1/wides`, { ...thing('w'), kind: 'Kindwides', metadata: { name: 'w', namespace: 'NS' } }],
    get(`/apis/${group}/v1/wides/w`),
    ['DELETE', `/apis/${group}/v1/wides/w`],
    ['DELETE', `${definitions}/wides.${group}`],
  ],
  terminating: [
    ...define([version('v1')]),
    ['POST', things, thing('a', { metadata: { name: 'a', finalizers: ['example.com/keep'] } })],
    end,
    {
      until: `${definitions}/things.${group}`,
      holds: ({ status }: Any) => status.conditions.some((c: Any) => c.type === 'Terminating' && c.status === 'True'),
    },
    { until: `${things}/a`, holds: ({ metadata }: Any) => metadata.deletionTimestamp !== undefined },
    ['POST', things, thing('b')],
    ['PATCH', `${things}/b?fieldManager=m`, thing('b'), apply],
    get(`${things}/a`),
    ['PATCH', `${things}/a`, { spec: { color: 'red' } }, merge],
    get(`/apis/${group}/v1`),
    ['PATCH', `${things}/a`, { metadata: { finalizers: null } }, merge],
  ],
  identity: [
    ...define([version('v1')]),
    ['POST', things, { ...thing('a'), kind: 'Other' }],
    ['POST', things, { ...thing('a'), apiVersion: 'other/v1' }],
    ['POST', things, { metadata: { name: 'a' } }],
    ['POST', things, { ...thing('A_b') }],
    ['POST', things, { ...thing('a'), metadata: { name: 'a', labels: { 'a b': 'c' } } }],
    ['POST', things, { ...thing('a'), metadata: { name: 'a', labels: { a: 1 } } }],
    ['POST', things, { ...thing('a'), metadata: 'x' }],
    ['POST', `${things}?fieldValidation=Strict`, { ...thing('a'), metadata: { name: 'a', nope: 1 }, spec: { nope: 1 } }],
    ['POST', things, { ...thing('a'), spec: { size: 'x' } }],
    ['POST', things, thing('a')],
    ['POST', things, thing('a')],
    ['PUT', `${things}/a`, { ...thing('a'), metadata: { name: 'a', resourceVersion: '1' } }],
    ['PUT', `${things}/a`, { ...thing('b') }],
    end,
  ],
};
export default conversations;
