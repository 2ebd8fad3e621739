import { encodeConfigMap, encodeStampPatch, objectName } from './config-map.mjs';

/**
 * The kinds that rows work on.
 * @typedef {'configmaps' | 'pods' | 'deployments'} ObjectKind
 */

/** Pods run as somebody whom only a controller of Kubernetes would make by itself. */
export const account = 'bench';

/** @type {Record<ObjectKind, string>} */
const groupPaths = { configmaps: '/api/v1', pods: '/api/v1', deployments: '/apis/apps/v1' };

/** @param {string} namespace @param {ObjectKind} [kind] */
export function collectionPath(namespace, kind = 'configmaps') {
  return `${groupPaths[kind]}/namespaces/${namespace}/${kind}`;
}

const podSpec = {
  serviceAccountName: account,
  automountServiceAccountToken: false,
  containers: [
    {
      name: 'main',
      image: 'registry.example.com/shop/checkout:1.27.3',
      command: ['/checkout', '--listen=:8080'],
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [
        { name: 'LOG_LEVEL', value: 'info' },
        { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
      volumeMounts: [{ name: 'cache', mountPath: '/var/cache' }],
    },
  ],
  volumes: [{ name: 'cache', emptyDir: {} }],
};

/** @param {string} prefix @param {number} index @param {string} stamp */
function metadata(prefix, index, stamp) {
  return { name: objectName(prefix, index), labels: { app: 'checkout', group: `g${index % 10}` }, annotations: { stamp } };
}

/** @param {ObjectKind} kind @param {string} prefix @param {number} index @param {string} stamp */
export function encodeObject(kind, prefix, index, stamp) {
  if (kind === 'configmaps') return encodeConfigMap(prefix, index, stamp);
  const meta = metadata(prefix, index, stamp);
  if (kind === 'pods') return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: meta, spec: podSpec }));
  const template = { metadata: { labels: { app: 'checkout' } }, spec: podSpec };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'checkout' } }, template };
  return Buffer.from(JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta, spec }));
}

/** @param {ObjectKind} kind @param {string} stamp */
export function encodePatch(kind, stamp) {
  return kind === 'configmaps' ? encodeStampPatch(stamp) : Buffer.from(`{"metadata":{"annotations":{"stamp":"${stamp}"}}}`);
}
