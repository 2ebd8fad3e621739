import { encodeConfigMap, encodeStampPatch, objectName } from './config-map.mjs';

/**
 * Kinds used by rows.
 * @typedef {'configmaps' | 'pods' | 'deployments' | 'crontabs'} ObjectKind
 */

/** Service account of pods; the default one would be created by a controller of Kubernetes. */
export const account = 'bench';

/** @type {Record<ObjectKind, string>} */
const groupPaths = {
  configmaps: '/api/v1',
  pods: '/api/v1',
  deployments: '/apis/apps/v1',
  crontabs: '/apis/bench.example.com/v1',
};

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

const cronTabSpec = {
  schedule: '0 3 * * *',
  replicas: 3,
  jobs: Array.from({ length: 6 }, (_, i) => ({
    name: `job-${i}`,
    image: 'registry.example.com/shop/checkout:1.27.3',
    args: ['--listen=:8080', '--quiet', `--shard=${i}`],
    limits: { cpu: '100m', memory: '128Mi' },
  })),
};

const text = { type: 'string', maxLength: 200 };

/** The CRD of the custom kind, with patterns, limits, defaults, and lists and maps with keys, as in real CRDs. */
export const cronTabDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.bench.example.com' },
  spec: {
    group: 'bench.example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['schedule'],
                properties: {
                  schedule: { type: 'string', pattern: '^\\S+( \\S+){4}$' },
                  replicas: { type: 'integer', minimum: 0, maximum: 100, default: 1 },
                  suspend: { type: 'boolean', default: false },
                  jobs: {
                    type: 'array',
                    maxItems: 50,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name', 'image'],
                      properties: {
                        name: text,
                        image: text,
                        policy: { type: 'string', enum: ['Always', 'Never'], default: 'Always' },
                        args: { type: 'array', items: text },
                        limits: { type: 'object', additionalProperties: text },
                      },
                    },
                  },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
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
  if (kind === 'crontabs')
    return Buffer.from(
      JSON.stringify({ apiVersion: 'bench.example.com/v1', kind: 'CronTab', metadata: meta, spec: cronTabSpec }),
    );
  const template = { metadata: { labels: { app: 'checkout' } }, spec: podSpec };
  const spec = { replicas: 3, selector: { matchLabels: { app: 'checkout' } }, template };
  return Buffer.from(JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: meta, spec }));
}

/** @param {ObjectKind} kind @param {string} stamp */
export function encodePatch(kind, stamp) {
  return kind === 'configmaps' ? encodeStampPatch(stamp) : Buffer.from(`{"metadata":{"annotations":{"stamp":"${stamp}"}}}`);
}
