import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { pod } from '../../core/pod/pod.ts';
import { persistentVolumeClaim } from '../../core/volume/persistent-volume-claim.ts';
import { sampleAttributes } from '../common/sample-attributes.ts';
import { EvaluatorRegistry, objectCountEvaluator } from './evaluator.ts';
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim-evaluator.ts';
import { podEvaluator } from './pod-evaluator.ts';
import { resourceClaimEvaluator } from './resource-claim-evaluator.ts';
import { resourceListObject } from './resource-list.ts';
import { isInScope } from './scopes.ts';
import { serviceEvaluator } from './service-evaluator.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const pods = podEvaluator(() => now);
const container = (requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}) => ({
  name: 'c',
  image: 'i',
  resources: { requests, limits },
  ...more,
});
const podOf = (spec: JsonObject, status: JsonObject = {}, metadata: JsonObject = {}) => ({
  metadata: { name: 'p', namespace: 'ns', ...metadata },
  spec: { containers: [container({ cpu: '100m' }, { cpu: '200m' })], ...spec },
  status,
});
const always = { restartPolicy: 'Always' };
const cpu = (pod: JsonObject) => {
  const { cpu, 'requests.cpu': requests, 'limits.cpu': limits } = resourceListObject(pods.measure(pod).usage);
  expect(requests).toBe(cpu);
  return [requests, limits];
};

describe('the usage of a pod', () => {
  it.each<[string, JsonObject, (string | undefined)[]]>([
    ['sums containers', podOf({ containers: [container({ cpu: '1' }), container({ cpu: '250m' })] }), ['1250m', undefined]],
    ['is at least that of an init container', podOf({ initContainers: [container({ cpu: '2' })] }), ['2', '200m']],
    [
      'includes restartable init containers',
      podOf({ initContainers: [container({ cpu: '1' }, {}, always), container({ cpu: '2' })] }),
      ['3', '200m'],
    ],
    [
      'is that of the pod level, if it is set',
      podOf({ resources: { requests: { cpu: '5' }, limits: { cpu: '6' } } }),
      ['5', '6'],
    ],
    ['includes overhead', podOf({ overhead: { cpu: '10m' } }), ['110m', '210m']],
    [
      'is the largest of spec, allocated and actual resources during a resize',
      podOf(
        {},
        {
          containerStatuses: [
            { name: 'c', allocatedResources: { cpu: '300m' }, resources: { requests: { cpu: '200m' }, limits: { cpu: '1' } } },
          ],
        },
      ),
      ['300m', '1'],
    ],
    [
      'ignores the spec of an infeasible resize',
      podOf(
        { containers: [container({ cpu: '9' }, { cpu: '9' })] },
        {
          conditions: [{ type: 'PodResizePending', reason: 'Infeasible' }],
          containerStatuses: [{ name: 'c', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }],
        },
      ),
      ['1', '2'],
    ],
    ['is nothing after the pod has ended', podOf({}, { phase: 'Succeeded' }), [undefined, undefined]],
    [
      'is nothing if the pod should have been deleted',
      podOf({}, {}, { deletionTimestamp: '2025-12-31T23:59:00Z', deletionGracePeriodSeconds: 30 }),
      [undefined, undefined],
    ],
    [
      'remains during the grace period',
      podOf({}, {}, { deletionTimestamp: '2025-12-31T23:59:50Z', deletionGracePeriodSeconds: 30 }),
      ['100m', '200m'],
    ],
  ])('%s', (_, pod, expected) => {
    expect(cpu(pod)).toEqual(expected);
  });

  it('has a name for each quota', () => {
    const requests = { cpu: '1', 'ephemeral-storage': '2', 'hugepages-2Mi': '3', 'example.com/gpu': '4' };
    const spec = { containers: [container({ ...requests, 'deviceclass.resource.kubernetes.io/gpu': '5' }, { memory: '6' })] };
    expect(resourceListObject(pods.measure(podOf(spec)).usage)).toEqual({
      ...{ 'count/pods': '1', pods: '1', cpu: '1', 'requests.cpu': '1', 'limits.memory': '6' },
      ...{ 'ephemeral-storage': '2', 'requests.ephemeral-storage': '2' },
      ...{ 'hugepages-2Mi': '3', 'requests.hugepages-2Mi': '3', 'requests.example.com/gpu': '4' },
      'requests.deviceclass.resource.kubernetes.io/gpu': '5',
    });
  });
});

describe('the scopes of a pod', () => {
  const facts = (spec: JsonObject) => pods.measure(podOf(spec)).facts as NonNullable<ReturnType<typeof pods.measure>['facts']>;
  const bestEffort = { containers: [container({})] };
  const term = (more: JsonObject) => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', ...more }] } },
  });
  const gold = { priorityClassName: 'gold' };
  it.each<[JsonObject, string, string, string[], boolean]>([
    [{}, 'NotTerminating', 'Exists', [], true],
    [{ activeDeadlineSeconds: 0 }, 'Terminating', 'Exists', [], true],
    [{ activeDeadlineSeconds: 0 }, 'NotTerminating', 'Exists', [], false],
    [bestEffort, 'BestEffort', 'Exists', [], true],
    [bestEffort, 'NotBestEffort', 'Exists', [], false],
    [{}, 'NotBestEffort', 'Exists', [], true],
    [{}, 'CrossNamespacePodAffinity', 'Exists', [], false],
    [term({}), 'CrossNamespacePodAffinity', 'Exists', [], false],
    [term({ namespaces: ['x'] }), 'CrossNamespacePodAffinity', 'Exists', [], true],
    [term({ namespaceSelector: {} }), 'CrossNamespacePodAffinity', 'Exists', [], true],
    [{}, 'PriorityClass', 'Exists', [], false],
    [gold, 'PriorityClass', 'Exists', [], true],
    [gold, 'PriorityClass', 'In', ['gold', 'silver'], true],
    [gold, 'PriorityClass', 'NotIn', ['gold'], false],
    [{}, 'PriorityClass', 'NotIn', ['gold'], true],
    [{}, 'PriorityClass', 'DoesNotExist', [], true],
    [gold, 'VolumeAttributesClass', 'In', ['gold'], false],
    [gold, 'constructor', 'Exists', [], false],
  ])('%j: %s %s %j is %s', (spec, scope, operator, values, expected) => {
    expect(isInScope({ scope, operator, values }, facts(spec))).toBe(expected);
  });

  it('cannot be evaluated for a value that is no label value', () => {
    const requirement = { scope: 'PriorityClass', operator: 'In', values: ['no label'] };
    expect(() => isInScope(requirement, facts({}))).toThrow(
      'error on matching scope {PriorityClass In [no label]}: failed to parse and convert selector: values[0][PriorityClass]: Invalid value: "no label"',
    );
  });
});

describe('updates of pods', () => {
  const dated = podOf({ activeDeadlineSeconds: 1 });
  it.each<[string, JsonObject, JsonObject, string, boolean]>([
    ['a change of the spec', podOf({ hostname: 'a' }), podOf({}), '', false],
    ['a deadline', dated, podOf({}), '', true],
    ['another deadline', dated, podOf({ activeDeadlineSeconds: 2 }), '', false],
    ['a status', podOf({}, { phase: 'Failed' }), podOf({}), 'status', false],
    ['a resize', podOf({}), podOf({}), 'resize', true],
  ])('%s', (_, object, old, subresource, expected) => {
    expect(pods.handles(sampleAttributes(pod, object, old, { subresource }))).toBe(expected);
  });
});

describe('the usage of a service', () => {
  const ports: JsonObject[] = [{ port: 1 }, { port: 2, nodePort: 30001 }];
  it.each<[JsonObject, string, string]>([
    [{ type: 'ClusterIP' }, '0', '0'],
    [{ type: 'ExternalName' }, '0', '0'],
    [{ type: 'NodePort' }, '2', '0'],
    [{ type: 'LoadBalancer' }, '2', '1'],
    [{ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false }, '1', '1'],
  ])('%j', (spec, nodePorts, balancers) => {
    expect(resourceListObject(serviceEvaluator.measure({ spec: { ports, ...spec } }).usage)).toEqual({
      ...{ 'count/services': '1', services: '1', 'services.nodeports': nodePorts, 'services.loadbalancers': balancers },
    });
  });
});

describe('the usage of a PersistentVolumeClaim', () => {
  const usageOf = (spec: JsonObject, status: JsonObject = {}, annotations: JsonObject = {}) => {
    const { 'count/persistentvolumeclaims': count, ...usage } = resourceListObject(
      persistentVolumeClaimEvaluator.measure({ metadata: { annotations }, spec, status }).usage,
    );
    expect(count).toBe('1');
    return usage;
  };
  const requests = (storage: string) => ({ resources: { requests: { storage } } });
  it.each<[string, JsonObject, JsonObject]>([
    ['without storage', usageOf({}), { persistentvolumeclaims: '1' }],
    ['in whole bytes', usageOf(requests('1.5')), { persistentvolumeclaims: '1', 'requests.storage': '2' }],
    [
      'with a larger allocation',
      usageOf(requests('1Gi'), { allocatedResources: { storage: '2Gi' } }),
      { persistentvolumeclaims: '1', 'requests.storage': '2Gi' },
    ],
    [
      'by the class of the annotation',
      usageOf({ ...requests('1Gi'), storageClassName: 'b' }, {}, { 'volume.beta.kubernetes.io/storage-class': 'a' }),
      {
        ...{ persistentvolumeclaims: '1', 'requests.storage': '1Gi', 'a.storageclass.storage.k8s.io/requests.storage': '1Gi' },
        'a.storageclass.storage.k8s.io/persistentvolumeclaims': '1',
      },
    ],
  ])('%s', (_, usage, expected) => {
    expect(usage).toEqual(expected);
  });

  it('belongs to every attributes class that the claim has had', () => {
    const { facts } = persistentVolumeClaimEvaluator.measure({
      spec: { volumeAttributesClassName: 'a' },
      status: { currentVolumeAttributesClassName: 'b', modifyVolumeStatus: { targetVolumeAttributesClassName: 'c' } },
    });
    expect(facts?.values).toEqual({ VolumeAttributesClass: ['a', 'b', 'c'] });
  });

  it.each([
    ['', true],
    ['status', true],
    ['other', false],
  ])('changes with the subresource %j: %s', (subresource, expected) => {
    const attributes = sampleAttributes(persistentVolumeClaim, {}, {}, { subresource });
    expect(persistentVolumeClaimEvaluator.handles(attributes)).toBe(expected);
  });
});

describe('the usage of a ResourceClaim', () => {
  const evaluator = resourceClaimEvaluator({ now: () => now, pods: undefined, claims: undefined, deviceClasses: undefined });
  it('counts devices by class, the largest of alternatives', () => {
    const device = (deviceClassName: string, count: number) => ({ deviceClassName, allocationMode: 'ExactCount', count });
    const requests: JsonObject[] = [
      { exactly: device('gpu', 2) },
      { exactly: { deviceClassName: 'gpu', allocationMode: 'All' } },
      { firstAvailable: [device('gpu', 1), device('gpu', 3), device('nic', 4)] },
    ];
    expect(resourceListObject(evaluator.measure({ metadata: { name: 'c' }, spec: { devices: { requests } } }).usage)).toEqual({
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '37',
      'nic.deviceclass.resource.k8s.io/devices': '4',
      'requests.deviceclass.resource.kubernetes.io/gpu': '37',
      'requests.deviceclass.resource.kubernetes.io/nic': '4',
    });
  });
});

describe('object counts', () => {
  it('have the name of the resource and its group', () => {
    const widgets = objectCountEvaluator({ group: 'example.com', resource: 'widgets' });
    expect(widgets.matchingResources(['count/widgets', 'count/widgets.example.com', 'widgets'])).toEqual([
      'count/widgets.example.com',
    ]);
  });

  it.each([
    ['events', '', 'Namespaced', undefined],
    ['events', 'events.k8s.io', 'Namespaced', undefined],
    ['nodes', '', 'Cluster', undefined],
    ['secrets', '', 'Namespaced', ['count/secrets', 'secrets']],
    ['leases', 'coordination.k8s.io', 'Namespaced', ['count/leases.coordination.k8s.io']],
  ] as const)('of %s in the group %j', (plural, group, scope, expected) => {
    const resource = { ...pod, scope, names: { ...pod.names, plural }, hub: { ...pod.hub, group } };
    const evaluator = new EvaluatorRegistry([]).of(resource);
    expect(evaluator ? [...evaluator.measure({}).usage.keys()] : undefined).toEqual(expected);
  });
});
