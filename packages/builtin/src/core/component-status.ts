import { get } from 'node:https';
import { type Column, computedVerbs, nameColumn, type Resource, type ServedVersion } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, objectsIn, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';

const columns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', description: 'Status of the component conditions', value: statusCell },
  {
    name: 'Message',
    type: 'string',
    description: 'Message of the component conditions',
    value: (object) => textIn(healthOf(object), 'message'),
  },
  {
    name: 'Error',
    type: 'string',
    description: 'Error of the component conditions',
    value: (object) => textIn(healthOf(object), 'error'),
  },
];

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.ComponentStatus'),
  deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+',
  columns,
};

/** Health of the control plane components, probed on each request. */
export const componentStatus: Resource = {
  names: {
    plural: 'componentstatuses',
    singular: 'componentstatus',
    kind: 'ComponentStatus',
    listKind: 'ComponentStatusList',
    shortNames: ['cs'],
  },
  scope: 'Cluster',
  storagePrefix: '',
  hub: v1,
  versions: [v1],
  strategy: {},
  verbs: computedVerbs(async ({ objects }) =>
    Promise.all([
      component('scheduler', probe('https://127.0.0.1:10259/healthz')),
      component('controller-manager', probe('https://127.0.0.1:10257/healthz')),
      component(
        'etcd-0',
        objects.cache.ping().then(() => 'ok'),
      ),
    ]),
  ),
};

async function component(name: string, health: Promise<string>): Promise<JsonObject> {
  const condition = await health.then(
    (message) => ({ type: 'Healthy', status: 'True', message }),
    (error: Error) => ({ type: 'Healthy', status: 'False', message: error.message }),
  );
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}

const probeTimeoutMs = 5_000;
const maxAnswer = 4_096;

/** Components on this host have self-signed certificates, so they are not verified. */
function probe(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(new Error(`Get "${url}": ${reasonOf(error, url)}`));
    const request = get(url, { rejectUnauthorized: false, timeout: probeTimeoutMs }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        if (text.length < maxAnswer) text += part;
      });
      response.on('error', fail).on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    request.on('error', fail).on('timeout', () => request.destroy(new Error('context deadline exceeded')));
  });
}

function reasonOf(error: NodeJS.ErrnoException, url: string): string {
  return error.code === 'ECONNREFUSED' ? `dial tcp ${new URL(url).host}: connect: connection refused` : error.message;
}

function healthOf(object: KubeObject): JsonObject | undefined {
  return objectsIn(object, 'conditions').find(({ type }) => type === 'Healthy');
}

function statusCell(object: KubeObject): string {
  const health = healthOf(object);
  if (!health) return 'Unknown';
  return health.status === 'True' ? 'Healthy' : 'Unhealthy';
}
