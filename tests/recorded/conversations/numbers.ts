import type { Conversations, Request } from '../conversation.ts';

const ap = { 'content-type': 'application/apply-patch+yaml' },
  mp = { 'content-type': 'application/merge-patch+json' },
  jp = { 'content-type': 'application/json-patch+json' },
  sp = { 'content-type': 'application/strategic-merge-patch+json' },
  yaml = { 'content-type': 'application/yaml' };
const D = '/apis/apps/v1/namespaces/NS/deployments',
  S = '/api/v1/namespaces/NS/services',
  Q = '/api/v1/namespaces/NS/resourcequotas',
  L = '/apis/coordination.k8s.io/v1/namespaces/NS/leases',
  R = '/apis/apps/v1/namespaces/NS/controllerrevisions';
/** A string, because the spelling of numbers matters. */
const deployment = (replicas: string, more = '') =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]${more}}}}}`;
const service = (port: string, target: string) =>
  `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"clusterIP":"None","ports":[{"port":${port},"targetPort":${target}}]}}`;
const quota = (hard: string) =>
  `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"q"},"spec":{"hard":{"cpu":${hard}}}}`;
const revision = (number: string) =>
  `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},"revision":${number}}`;
const numbers = [
  '1.0',
  '1e2',
  '1.50',
  '10E-1',
  '-0',
  '-0.0',
  '99999999999',
  '99999999999999999999',
  '1e400',
  '"1"',
  'true',
  '[1.0]',
  '{"a":1.0}',
];
const each = (requests: (number: string) => Request[]): Request[] => numbers.flatMap(requests);
const dry = '?dryRun=All';
const pausing = { metadata: { name: 'd', namespace: 'NS' } };

const conversations: Conversations = {
  json: each((n) => [
    ['POST', `${D}${dry}`, deployment(n)],
    ['POST', `${D}${dry}`, deployment('1', `,"terminationGracePeriodSeconds":${n}`)],
    ['POST', `${S}${dry}`, service('80', n)],
    ['POST', `${Q}${dry}`, quota(n)],
    ['POST', `${R}${dry}`, revision(n)],
    ['POST', `${L}${dry}`, `{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":${n}}}`],
    ['POST', `${L}${dry}`, `{"metadata":{"name":"l","labels":{"a":${n}}},"spec":{"holderIdentity":${n}}}`],
    ['POST', `${L}${dry}`, `{"metadata":${n},"spec":{}}`],
    ['POST', `${L}${dry}`, `{"metadata":{"name":"l"},"spec":${n}}`],
    ['POST', `${L}${dry}`, `{"metadata":{"name":"l"},"spec":{"unknown":${n}}}`],
    ['POST', `${L}${dry}`, `{"kind":${n},"metadata":{"name":"l"}}`],
    ['POST', `${L}${dry}`, n],
  ]),
  yaml: each((n) => [
    ['POST', `${D}${dry}`, deployment(n), yaml],
    ['POST', `${S}${dry}`, service('80', n), yaml],
    ['POST', `${Q}${dry}`, quota(n), yaml],
  ]),
  update: [
    ['POST', D, deployment('3')],
    ...each((n) => [
      ['PUT', `${D}/d${dry}`, deployment(n)],
      ['PUT', `${D}/d/scale${dry}`, `{"metadata":{"name":"d","namespace":"NS"},"spec":{"replicas":${n}}}`],
      ['PUT', `${D}/d/status${dry}`, `{"metadata":{"name":"d"},"spec":{},"status":{"observedGeneration":${n}}}`],
    ]),
  ],
  merge: [
    ['POST', D, deployment('3')],
    ...each((n) => [
      ['PATCH', `${D}/d${dry}`, `{"spec":{"replicas":${n}}}`, mp],
      ['PATCH', `${D}/d/scale${dry}`, `{"spec":{"replicas":${n}}}`, mp],
      ['PATCH', `${D}/d${dry}`, `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":${n}}}}}`, mp],
      ['PATCH', `${D}/d${dry}`, `{"metadata":{"generation":${n}}}`, mp],
      ['PATCH', `${D}/d${dry}`, `{"metadata":${n.replace('-0', '-1')}}`, mp],
    ]),
  ],
  strategic: [
    ['POST', D, deployment('3')],
    ...each((n) => [
      ['PATCH', `${D}/d${dry}`, `{"spec":{"replicas":${n}}}`, sp],
      ['PATCH', `${D}/d/scale${dry}`, `{"spec":{"replicas":${n}}}`, sp],
      ['PATCH', `${D}/d${dry}`, `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":${n}}}}}`, sp],
      ['PATCH', `${D}/d${dry}`, `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":${n}}}}}`, sp],
    ]),
  ],
  operations: [
    ['POST', D, deployment('3')],
    ...each((n) => [
      ['PATCH', `${D}/d${dry}`, `[{"op":"replace","path":"/spec/replicas","value":${n}}]`, jp],
      ['PATCH', `${D}/d${dry}`, `[{"op":"test","path":"/spec/replicas","value":${n}}]`, jp],
      ['PATCH', `${D}/d/scale${dry}`, `[{"op":"add","path":"/spec/replicas","value":${n}}]`, jp],
    ]),
    ['PATCH', `${D}/d${dry}`, '[{"op":"test","path":"/spec/replicas","value":3.0}]', jp],
    [
      'PATCH',
      `${D}/d${dry}`,
      '[{"op":"add","path":"/spec/paused","value":3.0},{"op":"copy","from":"/spec/paused","path":"/spec/replicas"}]',
      jp,
    ],
    [
      'PATCH',
      `${D}/d${dry}`,
      '[{"op":"add","path":"/spec/x","value":3.0},{"op":"test","path":"/spec/x","value":3.0},{"op":"remove","path":"/spec/x"}]',
      jp,
    ],
    ['PATCH', `${D}/d${dry}`, '[{"op":"add","path":"/spec/x","value":3.0},{"op":"add","path":"/spec/x/y","value":1}]', jp],
  ],
  applied: each((n) => [
    ['PATCH', `${D}/d${dry}&fieldManager=a&force=true`, deployment(n), ap],
    ['PATCH', `${S}/s${dry}&fieldManager=a&force=true`, service('80', n), ap],
    ['PATCH', `${Q}/q${dry}&fieldManager=a&force=true`, quota(n), ap],
    ['PATCH', `${R}/r${dry}&fieldManager=a&force=true`, revision(n), ap],
  ]),
  deletion: [
    ['POST', D, deployment('1')],
    ...each((n) => [['DELETE', `${D}/d${dry}`, `{"gracePeriodSeconds":${n}}`]]),
    ['DELETE', `${D}/d${dry}`, JSON.stringify({ preconditions: 1 })],
    ['DELETE', `${D}/d${dry}`, JSON.stringify({ ...pausing, unknown: 1 })],
    ['DELETE', `${D}/d${dry}&fieldValidation=Strict`, JSON.stringify({ unknown: 1 })],
  ],
};
export default conversations;
