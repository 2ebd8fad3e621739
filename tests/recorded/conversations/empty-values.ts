import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const apply = { 'content-type': 'application/apply-patch+yaml' },
  merge = { 'content-type': 'application/merge-patch+json' };
const core = '/api/v1/namespaces/NS',
  apps = '/apis/apps/v1/namespaces/NS',
  dry = '?dryRun=All&fieldManager=m';
const object = (apiVersion: string, kind: string, more: object, name = 'x') => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});
const template = (labels?: object) => ({
  ...(labels && { metadata: { labels } }),
  spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: labels ? 'Always' : 'Never' },
});
const daemonSet = (more: object = {}) => ({
  ...object('apps/v1', 'DaemonSet', { spec: { selector: { matchLabels: { a: 'b' } }, template: template({ a: 'b' }) } }),
  ...more,
});
const role = (rules: unknown) => object('rbac.authorization.k8s.io/v1', 'Role', { rules });
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles';
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const lease = (spec: object) => object('coordination.k8s.io/v1', 'Lease', { spec });
const event = { regarding: { namespace: 'NS', kind: 'Pod', name: 'p' }, reason: '', action: 'a', type: 'Normal', note: 'n' };
const volume = (spec: object) =>
  object('v1', 'PersistentVolume', {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' }, ...spec },
  });
const last = (answers: readonly Any[]) => structuredClone(answers.at(-1));

const conversations: Conversations = {
  created: [
    ['POST', `${core}/limitranges${dry}`, object('v1', 'LimitRange', { spec: { limits: [] } })],
    [
      'POST',
      `/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices${dry}`,
      object('discovery.k8s.io/v1', 'EndpointSlice', { addressType: 'IPv4', endpoints: [], ports: [] }),
    ],
    ['POST', `/apis/storage.k8s.io/v1/csinodes${dry}`, object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [] } })],
    [
      'POST',
      `/apis/storage.k8s.io/v1/csinodes${dry}`,
      object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [{ name: 'd', nodeID: 'n', topologyKeys: [] }] } }),
    ],
    [
      'POST',
      `/apis/storage.k8s.io/v1/csinodes${dry}`,
      object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [{ name: 'd', nodeID: 'n' }] } }),
    ],
    [
      'POST',
      `/apis/resource.k8s.io/v1/namespaces/NS/resourceclaims${dry}`,
      object('resource.k8s.io/v1', 'ResourceClaim', { spec: { devices: { requests: [] } } }),
    ],
    ['POST', `${roles}${dry}`, role([])],
    ['POST', `${roles}${dry}`, role(null)],
    ['POST', `${roles}${dry}`, role([{ ...rule, resourceNames: [] }])],
  ],
  changed: [
    ['POST', `${roles}?fieldManager=m`, role([rule])],
    ['PATCH', `${roles}/x?fieldManager=n`, { rules: [] }, merge],
    ['GET', `${roles}/x`],
    ['PATCH', `${roles}/x?fieldManager=n`, { rules: null }, merge],
    ['PATCH', `${roles}/x?fieldManager=a`, role([]), apply],
    ['PATCH', `${roles}/x?fieldManager=a`, role([rule]), apply],
    ['GET', `${roles}/x`],
  ],
  'daemon-set': [
    ['POST', `${apps}/daemonsets?fieldManager=m`, daemonSet()],
    ['PUT', `${apps}/daemonsets/x?fieldManager=n`, daemonSet()],
    (answers): Request => [
      'PUT',
      `${apps}/daemonsets/x?fieldManager=o`,
      { ...last(answers), metadata: { name: 'x', labels: { a: 'b' } } },
    ],
    ['PATCH', `${apps}/daemonsets/x?fieldManager=p`, { spec: { minReadySeconds: 3 } }, merge],
    ['PATCH', `${apps}/daemonsets/x?fieldManager=p`, { spec: { template: { metadata: { labels: { c: 'd' } } } } }, merge],
    ['PATCH', `${apps}/daemonsets/x?fieldManager=p`, { metadata: { annotations: null } }, merge],
    ['PATCH', `${apps}/daemonsets/y?fieldManager=a`, daemonSet({ metadata: { name: 'y' } }), apply],
    ['PATCH', `${apps}/daemonsets/y?fieldManager=a`, daemonSet({ metadata: { name: 'y', labels: { a: 'b' } } }), apply],
    ['PATCH', `${apps}/daemonsets/y/status?fieldManager=s`, { status: { numberReady: 1 } }, merge],
    [
      'POST',
      `${apps}/daemonsets?fieldManager=m`,
      daemonSet({ metadata: { name: 'z', annotations: { 'deprecated.daemonset.template.generation': '7' } } }),
    ],
  ],
  job: [
    ['POST', '/apis/batch/v1/namespaces/NS/jobs?fieldManager=m', object('batch/v1', 'Job', { spec: { template: template() } })],
    ['GET', '/apis/batch/v1/namespaces/NS/jobs/x'],
    ['PATCH', '/apis/batch/v1/namespaces/NS/jobs/x?fieldManager=n', { spec: { suspend: true } }, merge],
  ],
  lease: [
    [
      'POST',
      `/apis/coordination.k8s.io/v1/namespaces/NS/leases?fieldManager=m`,
      lease({ holderIdentity: 'h', strategy: 'OldestEmulationVersion', preferredHolder: 'p' }),
    ],
    ['PATCH', '/apis/coordination.k8s.io/v1/namespaces/NS/leases/x?fieldManager=n', { spec: { preferredHolder: 'p' } }, merge],
    ['POST', `/apis/coordination.k8s.io/v1/namespaces/NS/leases${dry}`, lease({ strategy: '', preferredHolder: '' })],
  ],
  errors: [
    [
      'POST',
      `/apis/events.k8s.io/v1/namespaces/NS/events${dry}`,
      {
        ...object('events.k8s.io/v1', 'Event', { ...event, eventTime: '2026-01-01T00:00:00.000000Z' }),
        reportingController: 'a/b',
        reportingInstance: 'i',
      },
    ],
    ['POST', `/api/v1/persistentvolumes${dry}`, volume({ flexVolume: {} })],
    ['POST', `/api/v1/persistentvolumes${dry}`, volume({ flexVolume: { driver: 'a/b' } })],
    ['POST', `/api/v1/persistentvolumes${dry}`, volume({ nfs: { server: 's', path: '/p' } })],
    [
      'POST',
      `${core}/replicationcontrollers${dry}`,
      object('v1', 'ReplicationController', { spec: { selector: { a: 'b' }, template: { spec: template({}).spec } } }),
    ],
  ],
} satisfies Record<string, readonly Step[]>;
export default conversations;
