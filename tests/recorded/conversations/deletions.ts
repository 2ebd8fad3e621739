import type { Conversations, Request } from '../conversation.ts';

/** Some kinds answer a deletion with the object, others with a Status. */
const object = (apiVersion: string, kind: string, more: object = {}) => ({ apiVersion, kind, metadata: { name: 'NS' }, ...more });
const created = (path: string, body: object): Request[] => [
  ['POST', `${path}?fieldManager=m`, body],
  ['DELETE', `${path}/NS`],
];
const resource = '/apis/resource.k8s.io/v1',
  inNamespace = '/namespaces/NS',
  core = `/api/v1${inNamespace}`;
const claim = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
const slice = { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n', devices: [] };

const conversations: Conversations = {
  devices: [
    ...created(`${resource}/deviceclasses`, object('resource.k8s.io/v1', 'DeviceClass', { spec: {} })),
    ...created(`${resource}${inNamespace}/resourceclaims`, object('resource.k8s.io/v1', 'ResourceClaim', { spec: claim })),
    ...created(
      `${resource}${inNamespace}/resourceclaimtemplates`,
      object('resource.k8s.io/v1', 'ResourceClaimTemplate', { spec: { spec: claim } }),
    ),
    ...created(`${resource}/resourceslices`, object('resource.k8s.io/v1', 'ResourceSlice', { spec: slice })),
  ],
  core: [
    ...created(`${core}/configmaps`, object('v1', 'ConfigMap')),
    ...created(`${core}/serviceaccounts`, object('v1', 'ServiceAccount')),
    ...created(`${core}/resourcequotas`, object('v1', 'ResourceQuota', { spec: {} })),
    ...created('/apis/storage.k8s.io/v1/csidrivers', object('storage.k8s.io/v1', 'CSIDriver', { spec: {} })),
    ...created('/apis/storage.k8s.io/v1/csinodes', object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [] } })),
    ...created('/apis/scheduling.k8s.io/v1/priorityclasses', object('scheduling.k8s.io/v1', 'PriorityClass', { value: 1 })),
  ],
};
export default conversations;
