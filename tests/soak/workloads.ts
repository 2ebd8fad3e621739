import { createDefinition, definition } from '../support/definitions.ts';
import type { Surroundings, Workload } from './surroundings.ts';

export const namespace = 'soak';
const core = `/api/v1/namespaces/${namespace}`;
const configMaps = `${core}/configmaps`;
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const protobuf = 'application/vnd.kubernetes.protobuf';
const mergePatch = 'application/merge-patch+json';
/** Permanent objects, so that lists have several pages. */
const listed = 2_000;
/** Generous, because busy machines stall and this test does not measure speed. */
const goneMs = 180_000;
const quietMs = 600_000;

export async function prepare(s: Surroundings, objects: number): Promise<void> {
  await s.request('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  for (let i = 0; i < objects; i += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, k) =>
        s.request('POST', `${core}/secrets`, {
          metadata: { name: `listed-${i + k}`, labels: { tenth: String((i + k) % 10) } },
          stringData: { text: 'x'.repeat(700) },
        }),
      ),
    );
}

/** Creates, updates, patches and deletes the same few objects, which no other workload writes. */
const churn = (writer: number): Workload => ({
  name: 'churn',
  everyMs: 25,
  async step(s) {
    const path = `${configMaps}/churn-${writer}-${s.random(50)}`;
    const { status, body } = await s.request('GET', path, undefined, { expect: [200, 404] });
    const data = { text: 'y'.repeat(s.random(2_000)) };
    if (status === 404) await s.request('POST', configMaps, { metadata: { name: path.split('/').at(-1) }, data });
    else if (s.random(6) === 0) await s.request('DELETE', path);
    else if (s.random(2) === 0) await s.request('PATCH', path, { data }, { type: mergePatch });
    else await s.request('PUT', path, { ...body, data });
  },
});

/** Three field managers apply their parts of one Deployment. */
const apply: Workload = {
  name: 'apply',
  everyMs: 100,
  async step(s) {
    const manager = s.random(3);
    const labels = { app: 'applied' };
    const spec = {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: `example.com/main:${s.random(9)}` }] } },
    };
    const own =
      manager === 0 ? { spec } : { metadata: { name: 'applied', annotations: { [`m${manager}`]: String(s.random(99)) } } };
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'applied' }, spec, ...own };
    const type = 'application/apply-patch+yaml';
    await s.request('PATCH', `${deployments}/applied?fieldManager=m${manager}&force=true`, body, { type });
  },
};

/** Events expire by themselves. */
const events: Workload = {
  name: 'events',
  everyMs: 20,
  async step(s) {
    const involvedObject = { kind: 'ConfigMap', name: 'churn-0', namespace };
    await s.request('POST', `${core}/events`, {
      metadata: { generateName: 'soak-' },
      involvedObject,
      reason: 'Soaked',
      message: 'm'.repeat(s.random(500)),
      type: 'Normal',
    });
  },
};

/** Lists: complete, paginated, with selectors, and in other encodings. */
const lists: Workload = {
  name: 'lists',
  everyMs: 1_000,
  async step(s) {
    let next = '';
    do {
      const { body } = await s.request('GET', `${core}/secrets?limit=500${next}`);
      next = body.metadata.continue ? `&continue=${body.metadata.continue}` : '';
    } while (next !== '');
    await s.request('GET', `${core}/secrets?labelSelector=tenth%3D${s.random(10)}`);
    await s.request('GET', `${core}/secrets?limit=500`, undefined, { accept: table });
    await s.request('GET', `${core}/secrets?resourceVersion=0`, undefined, { accept: protobuf });
    await s.request('GET', `${core}/events?limit=500`, undefined, { accept: table });
  },
};

/** A watch that reads all events and is reopened sometimes. */
const watches: Workload = {
  name: 'watches',
  everyMs: 10,
  async step(s) {
    const path = s.random(2) === 0 ? `${configMaps}?watch=1` : `/api/v1/watch/configmaps?labelSelector=a!%3Db`;
    const watch = await s.client.watch(`${path}${path.includes('?') ? '&' : '?'}timeoutSeconds=${1 + s.random(20)}`);
    let newest = 0;
    for (;;) {
      const [event] = await watch.take(1, quietMs);
      if (event === undefined) return;
      s.counts.events++;
      const version = Number(event.object.metadata.resourceVersion);
      // The initial events of a watch are ordered by name, not by resourceVersion.
      if (event.type !== 'ADDED' && version < newest) throw new Error(`version ${version} came after ${newest}`);
      newest = Math.max(newest, version);
      if (s.signal.aborted) return watch.close();
    }
  },
};

/** A watch whose client does not read; the server closes it after a while. */
const stalledWatches: Workload = {
  name: 'deaf watches',
  everyMs: 50,
  async step(s) {
    const watch = await s.client.watch(`${configMaps}?watch=1`);
    watch.pause();
    await s.pause(500 + s.random(5_000));
    watch.close();
  },
};

/** CRDs are created and deleted, with custom resources. */
const definitions: Workload = {
  name: 'definitions',
  everyMs: 2_000,
  async step(s) {
    const plural = `soaks${s.random(4)}s`;
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer', maximum: 9 } } } },
    };
    const path = await createDefinition(s.client, definition(plural, { schema }));
    const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
    for (let i = 0; i < 5; i++) {
      const object = { apiVersion: 'example.com/v1', kind, metadata: { name: `o${i}` }, spec: { size: i } };
      await s.request('POST', path, object);
    }
    await s.request('GET', path, undefined, { accept: table });
    await s.request('GET', '/apis/example.com/v1');
    await s.request('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.example.com`);
    await gone(s, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.example.com`);
  },
};

/** Namespaces are created and deleted with their contents. */
const namespaces: Workload = {
  name: 'namespaces',
  everyMs: 3_000,
  async step(s) {
    const name = `soak-${s.random(3)}`;
    await s.request('POST', '/api/v1/namespaces', { metadata: { name } });
    const owner = await s.request('POST', `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'owner' } });
    const { uid } = owner.body.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    for (let i = 0; i < 5; i++)
      await s.request('POST', `/api/v1/namespaces/${name}/secrets`, { metadata: { name: `owned-${i}`, ownerReferences } });
    await s.request('DELETE', `/api/v1/namespaces/${name}/configmaps/owner`);
    await gone(s, `/api/v1/namespaces/${name}/secrets/owned-4`);
    await s.request('DELETE', `/api/v1/namespaces/${name}`);
    await gone(s, `/api/v1/namespaces/${name}`);
  },
};

let token = '';

async function newToken(s: Surroundings): Promise<string> {
  const { body } = await s.request('POST', `${core}/serviceaccounts/default/token`, { spec: { expirationSeconds: 3600 } });
  return body.status.token;
}

/** Tokens, reviews, discovery, OpenAPI and metrics. */
const administration: Workload = {
  name: 'administration',
  everyMs: 1_000,
  async step(s) {
    // Tokens are cached for an hour: one per second would only measure the growth of the cache.
    if (token === '' || s.random(60) === 0) token = await newToken(s);
    await s.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    const resourceAttributes = { verb: 'get', resource: 'pods', namespace };
    await s.request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { resourceAttributes } });
    await s.request('GET', '/apis');
    await s.client.get('/metrics');
    await s.client.get('/openapi/v3/apis/apps/v1');
    if (s.random(20) === 0) await s.client.get('/openapi/v2');
  },
};

async function gone(s: Surroundings, path: string): Promise<void> {
  const end = Date.now() + goneMs;
  while ((await s.request('GET', path, undefined, { expect: [200, 404] })).status !== 404) {
    if (Date.now() > end) throw new Error(`${path} is still there`);
    await s.pause(50);
    if (s.signal.aborted) return;
  }
}

export const objectsListed = listed;
export const workloads: readonly Workload[] = [
  ...[churn(0), churn(1), apply, events, lists],
  ...[watches, watches, watches, watches, stalledWatches],
  ...[definitions, namespaces, administration],
];
