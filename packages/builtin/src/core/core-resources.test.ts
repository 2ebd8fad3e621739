import type { Resource } from '@tsukube/apiserver';
import { deepCopy, FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { limitRange } from './limit-range.ts';
import { node } from './node.ts';
import { resourceQuota } from './resource-quota.ts';
import { endpoints } from './service/endpoints.ts';
import { service } from './service/service.ts';
import { persistentVolume } from './volume/persistent-volume.ts';
import { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';

function created(resource: Resource, content: JsonObject): JsonObject {
  const object: JsonObject = deepCopy({ metadata: { name: 'x' }, ...content }) as JsonObject;
  resource.strategy.applyDefaults?.(object as KubeObject);
  resource.strategy.prepareForCreate?.(object as KubeObject, { name: 'u', groups: [] }, resource.hub);
  return object;
}

function createProblems(resource: Resource, content: JsonObject): string[] {
  const errors = new FieldErrors();
  resource.strategy.validateCreate?.(created(resource, content) as KubeObject, errors, resource.hub);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

function updateProblems(resource: Resource, before: JsonObject, after: JsonObject): string[] {
  const errors = new FieldErrors();
  const old = created(resource, before);
  const object = created(resource, after);
  resource.strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, resource.hub);
  resource.strategy.validateUpdate?.(object as KubeObject, old as KubeObject, errors, resource.hub);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

const claim = (spec: JsonObject = {}): JsonObject => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});
const volume = (spec: JsonObject = {}): JsonObject => ({
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' }, ...spec },
});

describe('defaults', () => {
  it.each<[string, Resource, JsonObject, JsonObject]>([
    [
      'default limits from max, default requests from limits and min',
      limitRange,
      { spec: { limits: [{ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } }] } },
      { spec: { limits: [{ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } }] } },
    ],
    ['podCIDRs from podCIDR', node, { spec: { podCIDR: '10.0.0.0/24' } }, { spec: { podCIDRs: ['10.0.0.0/24'] } }],
    [
      'dataSourceRef from dataSource',
      persistentVolumeClaim,
      claim({ dataSource: { kind: 'PersistentVolumeClaim', name: 'y' } }),
      { spec: { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'y' }, volumeMode: 'Filesystem' } },
    ],
    [
      'the type of a hostPath',
      persistentVolume,
      volume(),
      { spec: { hostPath: { type: '' }, persistentVolumeReclaimPolicy: 'Retain' } },
    ],
    [
      'the timeout of session affinity',
      service(),
      { spec: { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] } },
      { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } }, ports: [{ protocol: 'TCP', targetPort: 80 }] } },
    ],
    [
      'the protocol of endpoint ports',
      endpoints,
      { subsets: [{ ports: [{ port: 1 }] }] },
      { subsets: [{ ports: [{ protocol: 'TCP' }] }] },
    ],
  ])('%s', (_, resource, content, expected) => {
    expect(created(resource, content)).toMatchObject(expected);
  });
});

describe('validation on create', () => {
  it.each<[string, Resource, JsonObject, string[]]>([
    [
      'quotas of unknown resources',
      resourceQuota,
      { spec: { hard: { storage: '1', pods: '1500m' }, scopes: ['BestEffort', 'NotBestEffort'] } },
      [
        'spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota',
        'spec.hard[pods]: Invalid value: "1500m": must be an integer',
        'spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes',
      ],
    ],
    [
      'a ratio above max/min',
      limitRange,
      { spec: { limits: [{ type: 'Container', max: { cpu: '4' }, min: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }] } },
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    ],
    [
      'loopback addresses in endpoints',
      endpoints,
      { subsets: [{ addresses: [{ ip: '127.0.0.1' }] }, {}] },
      [
        'subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
        'subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`',
      ],
    ],
    [
      'two volume sources',
      persistentVolume,
      volume({ nfs: { server: 's', path: '/' } }),
      ['spec.nfs: Forbidden: may not specify more than 1 volume type'],
    ],
    [
      'local volumes without node affinity',
      persistentVolume,
      { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, local: { path: '/x' } } },
      ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
    ],
    [
      'claims without a storage request',
      persistentVolumeClaim,
      claim({ resources: {} }),
      ['spec.resources[storage]: Required value'],
    ],
    [
      'externalTrafficPolicy without external access',
      service(),
      { spec: { ports: [{ port: 80 }], externalTrafficPolicy: 'Local' } },
      ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
    ],
  ])('%s', (_, resource, content, problems) => {
    expect(createProblems(resource, content)).toEqual(problems);
  });
});

describe('validation on update', () => {
  it.each<[string, Resource, JsonObject, JsonObject, string[]]>([
    [
      'podCIDRs of a node are immutable',
      node,
      { spec: { podCIDR: '10.0.0.0/24' } },
      { spec: { podCIDR: '10.1.0.0/24' } },
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
    [
      'volumeMode is immutable',
      persistentVolume,
      volume(),
      volume({ volumeMode: 'Block' }),
      ['volumeMode: Invalid value: "Block": field is immutable'],
    ],
    ['storageClassName may be set once', persistentVolumeClaim, claim(), claim({ storageClassName: 'a' }), []],
    [
      'scopes of a quota are immutable',
      resourceQuota,
      { spec: {} },
      { spec: { scopes: ['BestEffort'] } },
      ['spec.scopes: Invalid value: ["BestEffort"]: field is immutable'],
    ],
    [
      'clusterIP of a service is immutable',
      service(),
      { spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'] } },
      { spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] } },
      ['spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set'],
    ],
  ])('%s', (_, resource, before, after, problems) => {
    expect(updateProblems(resource, before, after)).toEqual(problems);
  });
});
