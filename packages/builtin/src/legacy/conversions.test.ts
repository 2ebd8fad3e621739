import type { Converter } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { horizontalPodAutoscaler } from '../autoscaling/horizontal-pod-autoscaler.ts';
import { legacyVersions } from './index.ts';
import { lostFieldsAnnotation } from './lost-fields.ts';

function versionOf(resource: string, apiVersion: string) {
  const found = legacyVersions[resource]?.find(({ group, version }) => `${group}/${version}` === apiVersion);
  if (!found) throw new Error(`no ${apiVersion} of ${resource}`);
  return found;
}

const converterOf = (resource: string, apiVersion: string) => versionOf(resource, apiVersion).converter as Converter;

const autoscalers = 'horizontalpodautoscalers.autoscaling';
const ingresses = 'ingresses.networking.k8s.io';
const slices = 'endpointslices.discovery.k8s.io';
const budgets = 'poddisruptionbudgets.policy';
const webhooks = 'validatingwebhookconfigurations.admissionregistration.k8s.io';
const levels = 'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io';
const flow = 'flowcontrol.apiserver.k8s.io';

describe('HorizontalPodAutoscaler v2beta1', () => {
  const target = { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' };
  const v2beta1 = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2beta1',
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 9,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 60 } },
        { type: 'Resource', resource: { name: 'memory', targetAverageValue: '1Gi' } },
        { type: 'Pods', pods: { metricName: 'requests', targetAverageValue: '100' } },
        { type: 'Object', object: { target, metricName: 'hits', targetValue: '2k' } },
        { type: 'External', external: { metricName: 'queue', metricSelector: { matchLabels: { q: 'a' } }, targetValue: '30' } },
      ],
    },
  };
  const metrics = [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } },
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    { type: 'Pods', pods: { metric: { name: 'requests' }, target: { type: 'AverageValue', averageValue: '100' } } },
    {
      type: 'Object',
      object: { describedObject: target, target: { type: 'Value', value: '2k' }, metric: { name: 'hits' } },
    },
    {
      type: 'External',
      external: {
        metric: { name: 'queue', selector: { matchLabels: { q: 'a' } } },
        target: { type: 'Value', value: '30' },
      },
    },
  ];
  const hub = converterOf(autoscalers, 'autoscaling/v2beta1').toHub(v2beta1 as unknown as JsonObject);

  it('converts to v2', () => {
    expect(hub.apiVersion).toBe('autoscaling/v2');
    expect(hub.spec).toEqual({ scaleTargetRef: target, minReplicas: 1, maxReplicas: 9, metrics });
  });

  it('converts to v2beta2', () => {
    const { apiVersion, spec } = converterOf(autoscalers, 'autoscaling/v2beta2').fromHub(hub);
    expect({ apiVersion, spec }).toEqual({ apiVersion: 'autoscaling/v2beta2', spec: hub.spec });
  });

  it('converts to v1 and back', () => {
    const v1 = horizontalPodAutoscaler.versions.find(({ version }) => version === 'v1')?.converter as Converter;
    const read = v1.fromHub(hub);
    expect(read.spec).toMatchObject({ targetCPUUtilizationPercentage: 60 });
    const back = converterOf(autoscalers, 'autoscaling/v2beta1').fromHub(v1.toHub(read));
    const inOrder = (object: JsonObject) =>
      ((object.spec as JsonObject).metrics as JsonObject[]).map((metric) => JSON.stringify(metric)).sort();
    expect(inOrder(back)).toEqual(inOrder(v2beta1 as unknown as JsonObject));
  });

  it.each(['autoscaling/v2beta1', 'autoscaling/v2beta2'])('stores fields that %s lacks in annotations', (apiVersion) => {
    const behavior = { scaleUp: { selectPolicy: 'Max', tolerance: '50m' }, scaleDown: { stabilizationWindowSeconds: 0 } };
    const { toHub, fromHub } = converterOf(autoscalers, apiVersion);
    const old = fromHub({ ...hub, spec: { ...(hub.spec as JsonObject), behavior } });
    const [annotation = ''] = Object.keys((old.metadata as JsonObject).annotations as JsonObject);
    expect(annotation).toMatch(/^autoscaling\.alpha\.kubernetes\.io\/(behavior|scale-up-tolerance)$/);
    expect((toHub(old).spec as JsonObject).behavior).toEqual(behavior);
    expect(toHub(old).metadata).toEqual({ name: 'web' });
  });
});

describe('a field that the old version lacks', () => {
  const hub: JsonObject = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'odd' },
    spec: {
      scaleTargetRef: { kind: 'Deployment', name: 'web' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Value', value: '1', averageUtilization: 60 } } }],
    },
    status: { desiredReplicas: 0, currentMetrics: null },
  };
  const { toHub, fromHub } = converterOf(autoscalers, 'autoscaling/v2beta1');
  const old = fromHub(hub);
  const edited = (text: string, other: string) => JSON.parse(JSON.stringify(old).replace(text, other)) as JsonObject;

  it('is preserved in an annotation', () => {
    expect((old.metadata as JsonObject).annotations).toHaveProperty([lostFieldsAnnotation]);
    expect(toHub(old)).toEqual(hub);
  });

  it('is not restored if the client changes the value', () => {
    const { spec } = toHub(edited('"targetAverageUtilization":60', '"targetAverageValue":"5"'));
    expect((spec as JsonObject).metrics).toMatchObject([{ resource: { target: { type: 'AverageValue', averageValue: '5' } } }]);
  });

  it.each(['', '{', 'null', '[1]', '[{"at":[]}]', '[{"at":["__proto__","x"],"was":1}]', '[{"at":["spec","x","y"],"was":1}]'])(
    'is nothing if a client has written %j there',
    (text) => {
      const metadata = { name: 'odd', annotations: { [lostFieldsAnnotation]: text } };
      expect(toHub({ ...old, metadata }).metadata).toEqual({ name: 'odd' });
      expect(({} as JsonObject).x).toBeUndefined();
    },
  );
});

describe('conversions', () => {
  it.each([
    [
      'the backends of an ingress',
      ingresses,
      'extensions/v1beta1',
      { spec: { backend: { serviceName: 'web', servicePort: 80 } } },
      { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
    ],
    [
      'a port with a name, and a path without a type',
      ingresses,
      'networking.k8s.io/v1beta1',
      { spec: { rules: [{ host: 'a', http: { paths: [{ backend: { serviceName: 'web', servicePort: 'http' } }] } }] } },
      {
        spec: {
          rules: [
            {
              host: 'a',
              http: {
                paths: [{ pathType: 'ImplementationSpecific', backend: { service: { name: 'web', port: { name: 'http' } } } }],
              },
            },
          ],
        },
      },
    ],
    [
      'a backend that is no service',
      ingresses,
      'networking.k8s.io/v1beta1',
      { spec: { backend: { resource: { apiGroup: 'a', kind: 'B', name: 'c' } } } },
      { spec: { defaultBackend: { resource: { apiGroup: 'a', kind: 'B', name: 'c' } } } },
    ],
    [
      'where an endpoint is',
      slices,
      'discovery.k8s.io/v1beta1',
      {
        addressType: 'IPv4',
        endpoints: [
          {
            addresses: ['10.0.0.1'],
            nodeName: 'n1',
            topology: { 'topology.kubernetes.io/zone': 'z', 'kubernetes.io/hostname': 'n1', rack: '7' },
          },
        ],
      },
      { endpoints: [{ addresses: ['10.0.0.1'], nodeName: 'n1', zone: 'z', deprecatedTopology: { rack: '7' } }] },
    ],
    [
      'a budget for no pods',
      budgets,
      'policy/v1beta1',
      { spec: { selector: {} } },
      {
        spec: {
          selector: {
            matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' }],
          },
        },
      },
    ],
    [
      'a budget for all pods',
      budgets,
      'policy/v1beta1',
      {
        spec: {
          selector: {
            matchExpressions: [{ key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'DoesNotExist' }],
          },
        },
      },
      { spec: { selector: {} } },
    ],
    [
      'webhooks that leave things open',
      webhooks,
      'admissionregistration.k8s.io/v1beta1',
      { webhooks: [{ name: 'a', clientConfig: { url: 'https://a' } }] },
      {
        webhooks: [
          {
            failurePolicy: 'Ignore',
            matchPolicy: 'Exact',
            sideEffects: 'Unknown',
            timeoutSeconds: 30,
            admissionReviewVersions: ['v1beta1'],
          },
        ],
      },
    ],
    [
      'assured shares',
      levels,
      `${flow}/v1beta1`,
      { spec: { type: 'Limited', limited: { assuredConcurrencyShares: 7 } } },
      { spec: { limited: { nominalConcurrencyShares: 7 } } },
    ],
    [
      'no shares, which are the usual ones',
      levels,
      `${flow}/v1beta2`,
      { spec: { type: 'Limited', limited: {} } },
      { spec: { limited: { nominalConcurrencyShares: 30 } } },
    ],
    [
      'no shares that are meant',
      levels,
      `${flow}/v1beta3`,
      {
        metadata: { annotations: { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' } },
        spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0 } },
      },
      { spec: { limited: { nominalConcurrencyShares: 0 } } },
    ],
    [
      'the groups of a user',
      'subjectaccessreviews.authorization.k8s.io',
      'authorization.k8s.io/v1beta1',
      { spec: { user: 'a', group: ['b'] } },
      { spec: { user: 'a', groups: ['b'] } },
    ],
    [
      'an event',
      'events',
      'events.k8s.io/v1beta1',
      { eventTime: null, regarding: { kind: 'Pod', name: 'p' }, note: 'hello', deprecatedCount: 2 },
      { apiVersion: 'v1', involvedObject: { kind: 'Pod', name: 'p' }, message: 'hello', count: 2 },
    ],
    [
      'a CertificateSigningRequest without a signerName',
      'certificatesigningrequests.certificates.k8s.io',
      'certificates.k8s.io/v1beta1',
      { spec: { request: 'AA==' } },
      { spec: { signerName: 'kubernetes.io/legacy-unknown', usages: ['digital signature', 'key encipherment'] } },
    ],
  ])('convert %s', (_, resource, apiVersion, old, expected) => {
    const { toHub, fromHub } = converterOf(resource, apiVersion);
    const hub = toHub({ apiVersion, ...old } as JsonObject);
    expect(hub).toMatchObject(expected);
    expect(fromHub(hub)).toMatchObject({ apiVersion, ...old });
  });
});

describe('an ordinary object', () => {
  const scaleTargetRef = { kind: 'Deployment', name: 'web' };
  const metric = { name: 'queue' };
  it.each([
    [
      autoscalers,
      'autoscaling/v2beta1',
      {
        spec: {
          scaleTargetRef,
          maxReplicas: 2,
          metrics: [{ type: 'External', external: { metric, target: { type: 'AverageValue', averageValue: '3' } } }],
        },
        status: { currentMetrics: [{ type: 'External', external: { metric, current: { averageValue: '2' } } }] },
      },
    ],
    [
      slices,
      'discovery.k8s.io/v1beta1',
      { addressType: 'IPv4', endpoints: [{ addresses: ['1.2.3.4'], nodeName: 'n', zone: 'z' }] },
    ],
    [budgets, 'policy/v1beta1', { spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } }],
    [
      levels,
      `${flow}/v1beta2`,
      { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } } },
    ],
    [
      webhooks,
      'admissionregistration.k8s.io/v1beta1',
      {
        webhooks: [
          {
            name: 'a',
            clientConfig: { url: 'https://a' },
            failurePolicy: 'Fail',
            matchPolicy: 'Equivalent',
            sideEffects: 'None',
            timeoutSeconds: 10,
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    ],
  ])('of %s carries no annotation in %s', (resource, apiVersion, hub) => {
    const { metadata } = converterOf(resource, apiVersion).fromHub(hub as JsonObject);
    expect(metadata).toEqual({});
  });
});

describe('warnings', () => {
  it.each([
    [
      autoscalers,
      'autoscaling/v2beta1',
      'autoscaling/v2beta1 HorizontalPodAutoscaler is deprecated in v1.22+, unavailable in v1.25+; use autoscaling/v2 HorizontalPodAutoscaler',
    ],
    [
      ingresses,
      'extensions/v1beta1',
      'extensions/v1beta1 Ingress is deprecated in v1.14+, unavailable in v1.22+; use networking.k8s.io/v1 Ingress',
    ],
    [
      'cronjobs.batch',
      'batch/v1beta1',
      'batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob',
    ],
    [
      'runtimeclasses.node.k8s.io',
      'node.k8s.io/v1beta1',
      'node.k8s.io/v1beta1 RuntimeClass is deprecated in v1.22+, unavailable in v1.25+',
    ],
    [
      levels,
      `${flow}/v1beta2`,
      `${flow}/v1beta2 PriorityLevelConfiguration is deprecated in v1.26+, unavailable in v1.29+; use ${flow}/v1beta3 PriorityLevelConfiguration`,
    ],
    ['events', 'events.k8s.io/v1beta1', 'events.k8s.io/v1beta1 Event is deprecated in v1.22+, unavailable in v1.25+'],
  ])('of %s in %s equal those of Kubernetes', (resource, apiVersion, text) => {
    expect(versionOf(resource, apiVersion).deprecationWarning).toBe(text);
  });
});
