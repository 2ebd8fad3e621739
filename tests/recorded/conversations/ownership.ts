import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const ap = { 'content-type': 'application/apply-patch+yaml' },
  mp = { 'content-type': 'application/merge-patch+json' },
  jp = { 'content-type': 'application/json-patch+json' },
  sp = { 'content-type': 'application/strategic-merge-patch+json' };
const C = '/api/v1/namespaces/NS/configmaps',
  cm = (data?: object, metadata: object = { name: 'a' }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    ...(data && { data }),
  });
const H2 = '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers',
  H1 = '/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers';
const h2 = (spec: object = {}) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'h' },
  spec: { maxReplicas: 5, scaleTargetRef: { kind: 'Deployment', name: 'd' }, ...spec },
});
const h1 = (spec: object = {}) => ({ ...h2(spec), apiVersion: 'autoscaling/v1' });
const cpu = (n: number) => ({
  metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: n } } }],
});
const P = '/api/v1/namespaces/NS/pods',
  pod = (more: object = {}, meta: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ...meta },
    spec: { serviceAccountName: 'sa', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }], ...more },
  });
const S = '/api/v1/namespaces/NS/services',
  svc = (ports: unknown, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { ports, selector: { a: 'b' }, ...more },
  });
const D = '/apis/apps/v1/namespaces/NS/deployments';
const dep = (spec: object = {}, c: object[] = [{ name: 'c', image: 'i' }]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: c } },
    ...spec,
  },
});
const get = (p: string): Request => ['GET', p];
const last = (all: readonly Any[]): Any => all.at(-1);
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const conversations: Conversations = {
  versions: [
    ['PATCH', `${H2}/h?fieldManager=two`, h2(cpu(50)), ap],
    ['PATCH', `${H1}/h?fieldManager=one`, h1({ targetCPUUtilizationPercentage: 60 }), ap],
    ['PATCH', `${H1}/h?fieldManager=one&force=true`, h1({ targetCPUUtilizationPercentage: 60 }), ap],
    get(`${H1}/h`),
    get(`${H2}/h`),
    ['PATCH', `${H2}/h?fieldManager=two`, h2(cpu(70)), ap],
    ['PATCH', `${H2}/h?fieldManager=two&force=true`, h2(cpu(70)), ap],
    get(`${H1}/h`),
    ['PATCH', `${H1}/h?fieldManager=two`, h1(), ap],
    get(`${H2}/h`),
    ['PATCH', `${H1}/h?fieldManager=up`, { spec: { minReplicas: 2 } }, mp],
    ['PATCH', `${H2}/h?fieldManager=up`, { spec: { minReplicas: 3 } }, mp],
    get(`${H1}/h`),
    ['PATCH', `${H1}/h?fieldManager=one`, h1({ minReplicas: 3 }), ap],
    get(`${H2}/h`),
  ],
  hpastatus: [
    ['POST', `${H2}?fieldManager=c`, h2(cpu(50))],
    [
      'PATCH',
      `${H2}/h/status?fieldManager=s`,
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        status: { desiredReplicas: 3, currentReplicas: 1 },
      },
      ap,
    ],
    [
      'PATCH',
      `${H1}/h/status?fieldManager=s`,
      {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: { maxReplicas: 9 },
        status: { desiredReplicas: 4 },
      },
      ap,
    ],
    get(`${H2}/h`),
    ['PATCH', `${H1}/h/status?fieldManager=t`, { status: { desiredReplicas: 5 } }, mp],
    get(`${H2}/h`),
  ],
  status: [
    ['POST', `${D}?fieldManager=c`, dep()],
    [
      'PATCH',
      `${D}/d/status?fieldManager=s`,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        status: { replicas: 3, conditions: [{ type: 'Available', status: 'True' }] },
      },
      ap,
    ],
    [
      'PATCH',
      `${D}/d/status?fieldManager=t`,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd', labels: { x: 'y' } },
        spec: { replicas: 9 },
        status: { conditions: [{ type: 'Progressing', status: 'True' }] },
      },
      ap,
    ],
    [
      'PATCH',
      `${D}/d/status?fieldManager=t`,
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        status: { conditions: [{ type: 'Available', status: 'False' }] },
      },
      ap,
    ],
    get(`${D}/d`),
    [
      'PATCH',
      `${D}/d/status?fieldManager=none`,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'x' }, status: {} },
      ap,
    ],
    [
      'PATCH',
      `${D}/nn/status?fieldManager=none`,
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'nn' }, status: {} },
      ap,
    ],
    ['PATCH', `${D}/d/status?fieldManager=s`, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } }, ap],
    get(`${D}/d`),
    ['PATCH', `${D}/d?fieldManager=q`, { ...dep({ replicas: 1 }), status: { replicas: 8 } }, ap],
    ['PATCH', `${D}/d?fieldManager=q&force=true`, { ...dep({ replicas: 2 }), status: { replicas: 8 } }, ap],
    get(`${D}/d`),
  ],
  podsub: [
    ['POST', '/api/v1/namespaces/NS/serviceaccounts', { metadata: { name: 'sa' } }],
    ['POST', `${P}?fieldManager=c`, pod()],
    [
      'PATCH',
      `${P}/p/ephemeralcontainers?fieldManager=e`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { ephemeralContainers: [{ name: 'dbg', image: 'b' }] } },
      ap,
    ],
    get(`${P}/p`),
    [
      'PATCH',
      `${P}/p/resize?fieldManager=r`,
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'p' },
        spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
      },
      ap,
    ],
    get(`${P}/p`),
    [
      'PATCH',
      `${P}/p/status?fieldManager=st`,
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] } },
      ap,
    ],
    get(`${P}/p`),
    ['PATCH', `${P}/p?fieldManager=x`, pod({}, { labels: { a: 'b' } }), ap],
    ['PATCH', `${P}/p/eviction?fieldManager=x`, {}, ap],
    ['PATCH', `${P}/p/binding?fieldManager=x`, {}, ap],
    ['PATCH', `${P}/p/log?fieldManager=x`, {}, ap],
  ],
  lists: [
    ['PATCH', `${S}/s?fieldManager=a`, svc([{ port: 80 }], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=b`, svc([{ port: 80, protocol: 'UDP', name: 'u' }], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=b`, svc([{ port: 81, protocol: 'UDP', name: 'u' }], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=a`, svc([{ port: 80, name: 't' }], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=b`, svc([{ port: 80, protocol: 'UDP', name: 'u' }], { clusterIP: 'None' }), ap],
    get(`${S}/s`),
    [
      'PATCH',
      `${S}/s?fieldManager=a`,
      svc(
        [
          { port: 80, name: 't' },
          { port: 80, name: 'v' },
        ],
        { clusterIP: 'None' },
      ),
      ap,
    ],
    ['PATCH', `${S}/s?fieldManager=a`, svc([{ name: 't' }], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=a`, svc([{}], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=a`, svc([null], { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=a`, svc(null, { clusterIP: 'None' }), ap],
    ['PATCH', `${S}/s?fieldManager=a`, svc([], { clusterIP: 'None' }), ap],
    get(`${S}/s`),
  ],
  finalizers: [
    ['PATCH', `${C}/a?fieldManager=a`, cm({ k: 'v' }, { name: 'a', finalizers: ['x.io/a'] }), ap],
    ['PATCH', `${C}/a?fieldManager=b`, cm({}, { name: 'a', finalizers: ['x.io/b'] }), ap],
    ['PATCH', `${C}/a?fieldManager=c`, { metadata: { finalizers: ['x.io/c', 'x.io/b'] } }, mp],
    [
      'PATCH',
      `${C}/a?fieldManager=a`,
      cm({}, { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' }] }),
      ap,
    ],
    [
      'PATCH',
      `${C}/a?fieldManager=b`,
      cm({}, { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 's2', uid: 'u2' }] }),
      ap,
    ],
    ['PATCH', `${C}/a?fieldManager=x`, { metadata: { finalizers: null } }, mp],
    get(`${C}/a`),
  ],
  reset: [
    ['POST', `${C}?fieldManager=c`, cm({ k: 'v' })],
    ['PATCH', `${C}/a?fieldManager=d`, { metadata: { managedFields: [{}] } }, mp],
    ['PATCH', `${C}/a?fieldManager=d`, { data: { l: 'w' } }, mp],
    ['PATCH', `${C}/a?fieldManager=a`, cm({ m: '1' }), ap],
    ['PATCH', `${C}/a?fieldManager=d`, { metadata: { managedFields: [] } }, mp],
    ['PATCH', `${C}/a?fieldManager=d`, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }], jp],
    (all) => [
      'PUT',
      `${C}/a?fieldManager=u`,
      { ...last(all), data: { z: '1' }, metadata: { ...last(all).metadata, managedFields: [] } },
    ],
    ['PATCH', `${C}/a?fieldManager=kubectl`, cm({ m: '2' }), ap],
    ['PATCH', `${C}/a?fieldManager=kubectl&force=true`, cm({ m: '2' }), ap],
    (all) => ['PUT', `${C}/a?fieldManager=u`, { ...last(all), metadata: { ...last(all).metadata, managedFields: null } }],
    (all) => [
      'PUT',
      `${C}/a?fieldManager=u`,
      { ...last(all), data: { m: '7' }, metadata: { ...last(all).metadata, managedFields: undefined } },
    ],
  ],
  setrecord: [
    ['POST', `${C}?fieldManager=c`, cm({ k: 'v' })],
    (all) => [
      'PUT',
      `${C}/a?fieldManager=u`,
      {
        ...all[0],
        metadata: {
          ...all[0].metadata,
          managedFields: [
            {
              manager: 'm',
              operation: 'Apply',
              apiVersion: 'v1',
              time: '2020-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {} } },
            },
          ],
        },
      },
    ],
    (all) => [
      'PUT',
      `${C}/a?fieldManager=u`,
      {
        ...last(all),
        data: { k: 'w', l: '1' },
        metadata: {
          ...last(all).metadata,
          managedFields: [
            {
              manager: 'm',
              operation: 'Apply',
              apiVersion: 'v1',
              time: '2020-01-01T00:00:00Z',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {} } },
            },
            {
              manager: 'n',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {}, 'f:zz': {} } },
            },
          ],
        },
      },
    ],
    ...[
      { operation: 'X' },
      { apiVersion: '' },
      { apiVersion: 'v9' },
      { apiVersion: 'a/b/c' },
      { fieldsType: '' },
      { fieldsType: 'FieldsV2' },
      { fieldsV1: { 'f:data': 1 } },
      { fieldsV1: { 'x:data': {} } },
      { fieldsV1: { 'k:x': {} } },
      { fieldsV1: { 'v:x': {} } },
      { fieldsV1: { 'i:x': {} } },
      { fieldsV1: null },
      { fieldsV1: [] },
      { fieldsV1: 'x' },
      { manager: 'x'.repeat(129) },
      { manager: 'a\u0007b' },
      { manager: 7 },
      { time: 'x' },
      { subresource: 'status' },
      { subresource: 'x'.repeat(300) },
      { fieldsV1: { '.': {} } },
      { fieldsV1: { 'f:data': { '.': {} } } },
      { fieldsV1: { 'f:nope': {} } },
      { extra: 1 },
    ].map(
      (x): Step => [
        'PUT',
        `${C}/a?fieldManager=u`,
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: {
            name: 'a',
            managedFields: [
              {
                manager: 'm',
                operation: 'Update',
                apiVersion: 'v1',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:data': { 'f:k': {} } },
                ...x,
              },
            ],
          },
          data: { k: 'w', l: '1' },
        },
      ],
    ),
  ],
  createrecord: [
    [
      'POST',
      `${C}?fieldManager=c`,
      cm(
        { k: 'v' },
        {
          name: 'a',
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {} } },
            },
          ],
        },
      ),
    ],
    ['POST', `${C}?fieldManager=c`, cm({ k: 'v' }, { name: 'b', managedFields: [{}] })],
    ['POST', `${C}?fieldManager=c`, cm({ k: 'v' }, { name: 'c', managedFields: [] })],
    [
      'POST',
      `${C}?fieldManager=c`,
      cm(
        { k: 'v' },
        {
          name: 'd',
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v7',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {} } },
            },
          ],
        },
      ),
    ],
  ],
  cap: [
    ['POST', `${C}?fieldManager=m00`, cm({ k00: '1' })],
    ...Array.from(
      { length: 14 },
      (_, i): Request => [
        'PATCH',
        `${C}/a?fieldManager=m${String(i + 1).padStart(2, '0')}`,
        { data: { [`k${i + 1}`]: '1' } },
        mp,
      ],
    ),
    ['PATCH', `${C}/a?fieldManager=m03`, { data: { k1: '2' } }, mp],
    ['PATCH', `${C}/a?fieldManager=ap`, cm({ k1: '2' }), ap],
    ['PATCH', `${C}/a?fieldManager=ap`, cm({ k1: '3' }), ap],
  ],
  capstatus: [
    ['POST', `${D}?fieldManager=m00`, dep()],
    ...Array.from(
      { length: 12 },
      (_, i): Request => [
        'PATCH',
        `${D}/d${i % 2 ? '/status' : ''}?fieldManager=m${String(i + 1).padStart(2, '0')}`,
        i % 2 ? { status: { observedGeneration: i + 1 } } : { metadata: { labels: { [`k${i}`]: '1' } } },
        mp,
      ],
    ),
  ],
  takeover: [
    [
      'POST',
      `${C}?fieldManager=kubectl-client-side-apply`,
      cm({ k: '1', l: '1' }, { name: 'a', annotations: { [lastApplied]: `${JSON.stringify(cm({ k: '1', l: '1' }))}\n` } }),
    ],
    ['PATCH', `${C}/a?fieldManager=kubectl`, cm({ k: '2' }), ap],
    get(`${C}/a`),
    (all) => [
      'PATCH',
      `${C}/a`,
      [
        {
          op: 'replace',
          path: '/metadata/managedFields',
          value: [
            {
              manager: 'kubectl',
              operation: 'Apply',
              apiVersion: 'v1',
              time: last(all).metadata.managedFields[0].time,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:k': {}, 'f:l': {} } },
            },
          ],
        },
        { op: 'replace', path: '/metadata/resourceVersion', value: last(all).metadata.resourceVersion },
      ],
      jp,
    ],
    ['PATCH', `${C}/a?fieldManager=kubectl`, cm({ k: '3' }), ap],
    [
      'PATCH',
      `${C}/a?fieldManager=kubectl-client-side-apply`,
      { metadata: { annotations: { [lastApplied]: JSON.stringify(cm({ k: '4' })) } }, data: { k: '4' } },
      sp,
    ],
    ['PATCH', `${C}/a?fieldManager=kubectl`, cm({ k: '5', z: '1' }), ap],
    ['PATCH', `${C}/a?fieldManager=other`, { data: { k: '6' } }, mp],
    ['PATCH', `${C}/a?fieldManager=kubectl`, cm({ k: '7' }), ap],
  ],
  agents: [
    ['POST', C, cm({ k: '1' }), { 'user-agent': 'my-tool/v1.2 (x)' }],
    ['PATCH', `${C}/a`, { data: { l: '1' } }, { ...mp, 'user-agent': '' }],
    ['PATCH', `${C}/a`, { data: { m: '1' } }, { ...mp, 'user-agent': 'x'.repeat(200) }],
    ['PATCH', `${C}/a`, { data: { n: '1' } }, { ...mp, 'user-agent': '/v1' }],
    ['PATCH', `${C}/a?fieldManager=${'x'.repeat(129)}`, { data: { o: '1' } }, mp],
    ['PATCH', `${C}/a?fieldManager=a%07b`, { data: { o: '1' } }, mp],
    ['PATCH', `${C}/a?fieldManager=x&fieldManager=y`, { data: { p: '1' } }, mp],
  ],
  atomic: [
    [
      'PATCH',
      `${D}/d?fieldManager=a`,
      dep({}, [
        {
          name: 'c',
          image: 'i',
          args: ['x'],
          env: [{ name: 'E', value: '1' }],
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: '1' } },
        },
      ]),
      ap,
    ],
    ['PATCH', `${D}/d?fieldManager=b`, dep({}, [{ name: 'c', image: 'i', args: ['x'] }]), ap],
    ['PATCH', `${D}/d?fieldManager=b`, dep({}, [{ name: 'c', args: ['y'] }]), ap],
    [
      'PATCH',
      `${D}/d?fieldManager=b&force=true`,
      dep({}, [
        {
          name: 'c',
          args: ['y'],
          env: [
            { name: 'E', value: '2' },
            { name: 'F', value: '3' },
          ],
        },
        { name: 'd', image: 'z' },
      ]),
      ap,
    ],
    ['PATCH', `${D}/d?fieldManager=a`, dep({}, [{ name: 'c', image: 'j' }]), ap],
    get(`${D}/d`),
    ['PATCH', `${D}/d?fieldManager=up`, { spec: { template: { spec: { containers: [{ name: 'd', $patch: 'delete' }] } } } }, sp],
    get(`${D}/d`),
  ],
  nulls: [
    ['PATCH', `${C}/a?fieldManager=a`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: null\n', ap],
    ['PATCH', `${C}/a?fieldManager=a`, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {}\n', ap],
    [
      'PATCH',
      `${C}/a?fieldManager=a`,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {a: null}}\ndata: {k: null}\n',
      ap,
    ],
    [
      'PATCH',
      `${C}/a?fieldManager=a`,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {}}\nimmutable: false\n',
      ap,
    ],
    get(`${C}/a`),
  ],
};

export default conversations;
