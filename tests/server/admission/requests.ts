import type { Any } from '../../support/client.ts';

/** Method, path, body and headers. NS stands for the namespace, VERSION for the resourceVersion in the previous response that had one. */
export type AdmittedRequest = readonly [method: string, path: string, body?: Any, headers?: Record<string, string>];

const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const jsonPatch = { 'content-type': 'application/json-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };

const core = '/api/v1/namespaces/NS';
const apps = '/apis/apps/v1/namespaces/NS';
const configMaps = `${core}/configmaps`;
const pods = `${core}/pods`;

function object(apiVersion: string, kind: string, name: string, rest: Any = {}): Any {
  const { metadata, ...more } = rest;
  return { apiVersion, kind, metadata: { name, ...metadata }, ...more };
}
const configMap = (name: string, rest: Any = { data: { a: '1' } }) => object('v1', 'ConfigMap', name, rest);
const container = { name: 'c', image: 'i', resources: { requests: { cpu: '500m' } } };
const pod = (name: string, rest: Any = {}) =>
  object('v1', 'Pod', name, {
    spec: { containers: [container], automountServiceAccountToken: false, ...rest.spec },
    ...(rest.metadata && { metadata: rest.metadata }),
  });
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = (name: string) =>
  object('apps/v1', 'Deployment', name, { spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } });
/** Admission plugins add this one. */
const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
const deleteOptions = (rest: Any = {}) => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...rest });

/** A certificate signing request for CN=a, O=b. */
const signingRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIYk1JR0NBZ0VBTUNBeERqQU1CZ05WQkFvTUJYUmxZVzF6TVE0d0RBWURWUVFEREFWaGJHbGpaVEJaTUJNRwpCeXFHU000OUFnRUdDQ3FHU000OUF3RUhBMElBQkZLV2pHbnJlQUdlbmp5dU9uTFMyekp4VGMyR0VFc2RVQU1JCmpJUDhFWTI0T0libUlmUk1pWkI0TDJEaU42V2hLVjZnajBLREw2TmdIdndhdUIzWURsdWdBREFLQmdncWhrak8KUFFRREFnTklBREJGQWlCL0lSRDMvbk9zcHRWbDU2MmhYa1VHQnV5ZUt4VVVPMWNNQWVTWTNuM3RiZ0loQUlJbQpzS0wwZ2pPTTBBbUdqWVBoYllVWnAyejV3WTJXSjVOVzZISHZqM002Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

const schema = {
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' }, color: { type: 'string', default: 'red' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, state: { type: 'string' } } },
  },
};
const subresources = { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } };
const lamps = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'lamps.admitted.example.com' },
  spec: {
    group: 'admitted.example.com',
    names: { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' },
    scope: 'Namespaced',
    versions: ['v1', 'v1beta1'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: { openAPIV3Schema: schema },
      subresources,
    })),
  },
};
export const customResourceDefinition = lamps;

const lampsPath = '/apis/admitted.example.com/v1/namespaces/NS/lamps';
const lamp = (name: string, rest: Any = { spec: { replicas: 1 } }, version = 'v1') =>
  object(`admitted.example.com/${version}`, 'Lamp', name, rest);
const scale = (name: string, replicas: number, rest: Any = {}) =>
  object('autoscaling/v1', 'Scale', name, { spec: { replicas }, ...rest });

/** Requests in a namespace of their own, by title. */
export const conversations: Readonly<Record<string, readonly AdmittedRequest[]>> = {
  'create-and-update': [
    ['POST', configMaps, configMap('a')],
    ['POST', `${configMaps}?dryRun=All&fieldManager=m&fieldValidation=Strict`, configMap('dry')],
    ['POST', configMaps, configMap('', { metadata: { generateName: 'g-' } })],
    ['POST', configMaps, configMap('a')],
    ['POST', configMaps, configMap('In_valid')],
    ['POST', '/api/v1/namespaces/missing-ns/configmaps', configMap('a')],
    ['PUT', `${configMaps}/a`, configMap('a', { data: { a: '2' } })],
    ['PUT', `${configMaps}/a`, configMap('a', { data: { a: '2' } })],
    ['PUT', `${configMaps}/a?dryRun=All&fieldManager=m`, configMap('a', { data: { a: '3' } })],
    ['PUT', `${configMaps}/a`, configMap('a', { metadata: { resourceVersion: '1' } })],
    ['PUT', `${configMaps}/missing`, configMap('missing')],
    ['PATCH', `${configMaps}/a`, { data: { b: '1' } }, merge],
    ['PATCH', `${configMaps}/a`, { data: { c: '1' } }, strategic],
    ['PATCH', `${configMaps}/a?fieldManager=m&dryRun=All`, [{ op: 'remove', path: '/data/b' }], jsonPatch],
    ['PATCH', `${configMaps}/missing`, { data: { b: '1' } }, merge],
    ['PATCH', `${configMaps}/applied?fieldManager=m`, configMap('applied'), apply],
    ['PATCH', `${configMaps}/applied?fieldManager=m&force=true&dryRun=All`, configMap('applied', { data: { b: '1' } }), apply],
    ['PATCH', `${configMaps}/applied?fieldManager=other`, configMap('applied', { data: { a: '2' } }), apply],
    [
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/NS/leases/l?fieldManager=m',
      object('coordination.k8s.io/v1', 'Lease', 'l', { spec: { holderIdentity: 'x' } }),
    ],
    [
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/NS/leases/l',
      object('coordination.k8s.io/v1', 'Lease', 'l', {
        metadata: { resourceVersion: 'VERSION' },
        spec: { holderIdentity: 'y' },
      }),
    ],
  ],
  delete: [
    ['POST', configMaps, configMap('a')],
    ['DELETE', `${configMaps}/missing`],
    ['DELETE', `${configMaps}/a`, deleteOptions({ preconditions: { uid: 'wrong' } })],
    ['DELETE', `${configMaps}/a?dryRun=All`],
    ['DELETE', `${configMaps}/a`, deleteOptions({ dryRun: ['All'] })],
    ['DELETE', `${configMaps}/a?gracePeriodSeconds=5&propagationPolicy=Background`],
    ['POST', configMaps, configMap('b')],
    [
      'DELETE',
      `${configMaps}/b`,
      { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 3, orphanDependents: false },
    ],
    ['POST', configMaps, configMap('c')],
    ['DELETE', `${configMaps}/c`, {}],
    ['POST', configMaps, configMap('d')],
    ['DELETE', `${configMaps}/d`, deleteOptions({ propagationPolicy: 'Foreground' })],
    ['POST', configMaps, configMap('e', { metadata: { finalizers: ['x.io/y'] } })],
    ['DELETE', `${configMaps}/e`],
    ['DELETE', `${configMaps}/e`],
    ['PATCH', `${configMaps}/e`, { metadata: { finalizers: null } }, merge],
    ['POST', configMaps, configMap('f', { metadata: { labels: { group: 'f' } } })],
    ['POST', configMaps, configMap('g', { metadata: { labels: { group: 'f' } } })],
    ['DELETE', `${configMaps}?labelSelector=group%3Df&dryRun=All`],
    ['DELETE', `${configMaps}?labelSelector=group%3Df`, deleteOptions({ gracePeriodSeconds: 1 })],
    ['DELETE', `${configMaps}?labelSelector=group%3Df`],
  ],
  pods: [
    ['POST', pods, pod('a', { metadata: { labels: { a: 'b' } } })],
    ['PUT', `${pods}/a/status`, pod('a', { metadata: { labels: { a: 'b' } } })],
    ['PATCH', `${pods}/a/status`, { status: { message: 'm' } }, merge],
    [
      'PATCH',
      `${pods}/a/ephemeralcontainers`,
      { spec: { ephemeralContainers: [{ name: 'e', image: 'i', terminationMessagePolicy: 'File' }] } },
      strategic,
    ],
    ['PATCH', `${pods}/a/resize`, { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } }, strategic],
    ['POST', `${pods}/a/binding`, object('v1', 'Binding', 'a', { target: { kind: 'Node', name: 'n' } })],
    ['POST', `${pods}/a/binding`, object('v1', 'Binding', 'other', { target: { kind: 'Node', name: 'n' } })],
    ['POST', pods, pod('b')],
    ['POST', `${core}/bindings`, object('v1', 'Binding', 'b', { target: { kind: 'Node', name: 'n' } })],
    ['POST', `${core}/bindings`, object('v1', 'Binding', 'b', { target: { kind: 'Service', name: 'n' } })],
    ['POST', pods, pod('c')],
    ['POST', `${pods}/c/eviction?dryRun=All`, object('policy/v1', 'Eviction', 'c', { deleteOptions: { gracePeriodSeconds: 3 } })],
    ['POST', `${pods}/c/eviction`, object('policy/v1', 'Eviction', 'c', { deleteOptions: { gracePeriodSeconds: 0 } })],
    ['POST', `${pods}/missing/eviction`, object('policy/v1', 'Eviction', 'missing')],
    ['POST', `${pods}/b/eviction`, object('policy/v1', 'Eviction', 'other')],
    ['DELETE', `${pods}/a`],
    ['DELETE', `${pods}/a`],
    ['DELETE', `${pods}/a?gracePeriodSeconds=3`],
    ['DELETE', `${pods}/a`, deleteOptions({ gracePeriodSeconds: 0 })],
    ['POST', pods, pod('d')],
    ['DELETE', `${pods}/d`],
    ['POST', pods, pod('e', { spec: { nodeName: 'n' } })],
    ['DELETE', pods],
    ['DELETE', `${pods}?gracePeriodSeconds=0`],
  ],
  connect: [
    ['POST', pods, pod('a')],
    ['POST', `${pods}/a/exec?command=ls&command=-l&container=c&stdin=true&stdout=1&tty=false`],
    ['GET', `${pods}/a/exec?command=ls&stderr=true`],
    ['GET', `${pods}/a/exec`],
    ['POST', `${pods}/missing/exec?command=ls`],
    ['POST', `${pods}/a/attach?container=c&stdin=true&stdout=true&stderr=true&tty=true`],
    ['POST', `${pods}/a/portforward?ports=80&ports=81`],
    ['POST', `${pods}/a/portforward`],
    ['POST', `${pods}/a/portforward?ports=x`],
    ['POST', `${pods}/a/exec?dryRun=All&command=ls`],
    ['GET', `${pods}/a/proxy`],
    ['GET', `${pods}/a:80/proxy/some/path?q=1&path=/evil`],
    ['PUT', `${pods}/a/proxy/x`],
    ['GET', `${pods}/a/log`],
    ['POST', `${core}/services`, object('v1', 'Service', 's', { spec: { clusterIP: 'None', ports: [{ port: 80 }] } })],
    ['GET', `${core}/services/s/proxy/`],
    ['POST', `${core}/services/http:s:80/proxy/a/b`],
    ['GET', '/api/v1/nodes/missing-node/proxy/metrics'],
    ['GET', '/api/v1/nodes/missing-node/proxy'],
  ],
  scale: [
    ['POST', `${apps}/deployments`, deployment('d')],
    ['PUT', `${apps}/deployments/d/scale`, scale('d', 2)],
    ['PUT', `${apps}/deployments/d/scale?dryRun=All&fieldManager=m`, scale('d', 3)],
    ['PATCH', `${apps}/deployments/d/scale`, { spec: { replicas: 4 } }, merge],
    ['PATCH', `${apps}/deployments/d/scale?fieldManager=m`, scale('d', 4), apply],
    ['PUT', `${apps}/deployments/d/scale`, scale('d', -1)],
    ['PUT', `${apps}/deployments/d/scale`, scale('d', 1, { metadata: { resourceVersion: '1' } })],
    ['PUT', `${apps}/deployments/missing/scale`, scale('missing', 1)],
    ['PATCH', `${apps}/deployments/d/status`, { status: { replicas: 1 } }, merge],
    ['PATCH', `${apps}/deployments/d/scale`, { spec: { replicas: 0 } }, merge],
    [
      'POST',
      `${core}/replicationcontrollers`,
      object('v1', 'ReplicationController', 'r', { spec: { replicas: 1, selector: { a: 'b' }, template } }),
    ],
    ['PUT', `${core}/replicationcontrollers/r/scale`, scale('r', 2)],
  ],
  versions: [
    [
      'POST',
      '/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers',
      object('autoscaling/v1', 'HorizontalPodAutoscaler', 'h', {
        spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' }, targetCPUUtilizationPercentage: 50 },
      }),
    ],
    ['PATCH', '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers/h', { spec: { maxReplicas: 4 } }, merge],
    ['DELETE', '/apis/autoscaling/v1/namespaces/NS/horizontalpodautoscalers/h'],
    [
      'POST',
      '/apis/events.k8s.io/v1/namespaces/NS/events',
      {
        ...object('events.k8s.io/v1', 'Event', 'e'),
        eventTime: '2024-01-01T00:00:00.000000Z',
        reportingController: 'x.io/c',
        reportingInstance: 'i',
        action: 'a',
        reason: 'r',
        type: 'Normal',
        regarding: { kind: 'Pod', name: 'p', namespace: 'NS' },
      },
    ],
    ['DELETE', `${core}/events/e`],
  ],
  'custom-resources': [
    ['POST', lampsPath, lamp('a')],
    ['PUT', `${lampsPath}/a/status`, lamp('a', { metadata: { resourceVersion: 'VERSION' }, status: { state: 'on' } })],
    ['PATCH', `${lampsPath}/a`, { spec: { color: 'blue' } }, merge],
    ['PATCH', `${lampsPath}/a/scale`, { spec: { replicas: 3 } }, merge],
    ['PATCH', `${lampsPath}/applied?fieldManager=m`, lamp('applied'), apply],
    [
      'POST',
      '/apis/admitted.example.com/v1beta1/namespaces/NS/lamps',
      lamp('b', { metadata: { finalizers: ['x.io/y'] } }, 'v1beta1'),
    ],
    ['DELETE', '/apis/admitted.example.com/v1beta1/namespaces/NS/lamps/b'],
    ['DELETE', `${lampsPath}/b`],
    ['PATCH', '/apis/admitted.example.com/v1beta1/namespaces/NS/lamps/b', { metadata: { finalizers: [] } }, merge],
    ['DELETE', lampsPath, deleteOptions({ propagationPolicy: 'Background' })],
  ],
  reviews: [
    ['POST', '/apis/authentication.k8s.io/v1/tokenreviews', { metadata: { name: 'n' }, spec: { token: 'x' } }],
    ['POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      { spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } } },
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?dryRun=All',
      { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    ],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/NS/localsubjectaccessreviews',
      {
        metadata: { namespace: 'NS' },
        spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'NS' } },
      },
    ],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'NS' } }],
    ['POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec: { user: 'u' } }],
    ['POST', `${core}/serviceaccounts`, object('v1', 'ServiceAccount', 's')],
    ['POST', `${core}/serviceaccounts/s/token`, { spec: { audiences: ['a'], expirationSeconds: 3600 } }],
    ['POST', `${core}/serviceaccounts/s/token`, { spec: { expirationSeconds: 1 } }],
    ['POST', `${core}/serviceaccounts/missing/token`, { spec: { audiences: ['a'] } }],
  ],
  'cluster-scoped': [
    ['POST', '/api/v1/namespaces', object('v1', 'Namespace', 'NS-x')],
    ['PATCH', '/api/v1/namespaces/NS-x', { metadata: { labels: { a: 'b' } } }, merge],
    ['PATCH', '/api/v1/namespaces/NS-x/status', { metadata: { labels: { c: 'd' } } }, merge],
    ['DELETE', '/api/v1/namespaces/NS-x'],
    ['DELETE', '/api/v1/namespaces/NS-x'],
    ['PUT', '/api/v1/namespaces/NS-x/finalize', object('v1', 'Namespace', 'NS-x', { spec: { finalizers: [] } })],
    ['POST', '/api/v1/namespaces', object('v1', 'Namespace', '', { metadata: { generateName: 'NS-g-' } })],
    ['POST', '/api/v1/nodes', object('v1', 'Node', 'NS-node', { spec: { taints } })],
    ['PATCH', '/api/v1/nodes/NS-node/status', { status: { capacity: { cpu: '1' } } }, merge],
    ['DELETE', '/api/v1/nodes/NS-node'],
    [
      'POST',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests',
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'NS-csr', {
        spec: { request: signingRequest, signerName: 'example.com/signer', usages: ['client auth'] },
      }),
    ],
    [
      'PUT',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests/NS-csr/approval',
      object('certificates.k8s.io/v1', 'CertificateSigningRequest', 'NS-csr', {
        metadata: { resourceVersion: 'VERSION' },
        spec: { request: signingRequest, signerName: 'example.com/signer', usages: ['client auth'] },
        status: { conditions: [{ type: 'Approved', status: 'True', reason: 'r', message: 'm' }] },
      }),
    ],
    [
      'PATCH',
      '/apis/certificates.k8s.io/v1/certificatesigningrequests/NS-csr/status',
      { status: { conditions: [{ type: 'Failed', status: 'True', reason: 'r', message: 'm' }] } },
      merge,
    ],
    ['DELETE', '/apis/certificates.k8s.io/v1/certificatesigningrequests/NS-csr'],
    [
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      object('rbac.authorization.k8s.io/v1', 'ClusterRole', 'NS-role', { rules: [] }),
    ],
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterroles/NS-role'],
  ],
};
