import type { AdmissionAttributes, AdmissionPlugin } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { until } from '../../support/definitions.ts';
import { configMap, newNamespace, useServer } from '../../support/server.ts';

type Act = (attributes: AdmissionAttributes) => void | Promise<void>;

/** The plugin of the current test: `mutate` and `validate` for requests of the client, `validateAll` for those of controllers too. */
let acts: { mutate?: Act; validate?: Act; validateAll?: Act } = {};
const isClient = ({ user }: AdmissionAttributes) => user.name === 'admin';
afterEach(() => {
  acts = {};
});
const plugin: AdmissionPlugin = {
  name: 'Test',
  mutate: (attributes) => (isClient(attributes) ? acts.mutate?.(attributes) : undefined),
  validate: (attributes) => acts.validateAll?.(attributes) ?? (isClient(attributes) ? acts.validate?.(attributes) : undefined),
};

const t = useServer({ admissionPlugins: [plugin] });
const merge = { 'content-type': 'application/merge-patch+json' };

/** Rejects the matching requests. */
const rejecting =
  (matches: (attributes: AdmissionAttributes) => boolean): Act =>
  (attributes) => {
    if (matches(attributes)) throw StatusError.forbidden({ group: '', resource: 'things' }, attributes.name, 'rejected');
  };

async function newPaths(): Promise<{ namespace: string; maps: string; core: string; apps: string }> {
  const maps = await newNamespace(t.client);
  const core = maps.replace('/configmaps', '');
  const namespace = core.slice(core.lastIndexOf('/') + 1);
  return { namespace, maps, core, apps: `/apis/apps/v1/namespaces/${namespace}` };
}

async function send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Any> {
  const { status, text, headers: answered } = await t.client.send(method, path, body, headers);
  return { status, warning: answered.warning, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const spec = { containers: [{ name: 'c', image: 'i' }] };
const labels = { a: 'b' };
const deployment = {
  metadata: { name: 'd' },
  spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
};

describe('mutations', () => {
  it('of a scale change the scaled object', async () => {
    const { apps } = await newPaths();
    await send('POST', `${apps}/deployments`, deployment);
    acts.mutate = async ({ subresource, object }) => {
      if (subresource === 'scale') (object as Any).spec.replicas = 7;
    };
    const scaled = await send('PATCH', `${apps}/deployments/d/scale`, { spec: { replicas: 2 } }, merge);
    expect(scaled.body.spec).toEqual({ replicas: 7 });
    expect((await send('GET', `${apps}/deployments/d`)).body.spec.replicas).toBe(7);
  });

  it('of an old object change nothing', async () => {
    const { maps } = await newPaths();
    await send('POST', maps, configMap('a', {}, { a: '1' }));
    acts.mutate = ({ oldObject }) => {
      if (oldObject) oldObject.metadata.finalizers = ['x.io/y'];
      if (oldObject) oldObject.data = {};
    };
    const patched = await send('PATCH', `${maps}/a`, { data: { b: '2' } }, merge);
    expect(patched.body.data).toEqual({ a: '1', b: '2' });
    expect((await send('DELETE', `${maps}/a`)).status).toBe(200);
    expect((await send('GET', `${maps}/a`)).status).toBe(404);
  });

  const entry = { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };

  it.each([
    ['operation must be `Apply` or `Update`', { ...entry, operation: 'None' }],
    ['apiVersion must not be empty', { ...entry, apiVersion: '' }],
    ['missing fieldsType in managed fields entry 0', { ...entry, fieldsType: '' }],
    ['invalid fieldsType "X" in managed fields entry 0', { ...entry, fieldsType: 'X' }],
  ])('that make managedFields invalid are reset with a warning: %s', async (problem, invalid) => {
    const { maps } = await newPaths();
    acts.mutate = ({ object }) => {
      (object as Any).metadata.managedFields = [invalid];
    };
    const { body, warning } = await send('POST', `${maps}?fieldManager=me`, configMap('a', {}, { a: '1' }));
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'me' }]);
    const text =
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests';
    expect(warning).toBe(`299 - ${JSON.stringify(`${text}: ${problem}`)}`);
  });

  it('of managedFields that are valid are stored', async () => {
    const { maps } = await newPaths();
    acts.mutate = ({ object }) => {
      (object as Any).metadata.managedFields = [entry];
    };
    expect((await send('POST', maps, configMap('a'))).body.metadata.managedFields).toEqual([entry]);
  });

  it('of owner references are deduplicated with a warning', async () => {
    const { maps } = await newPaths();
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    acts.mutate = ({ object }) => {
      (object as Any).metadata.ownerReferences = [owner, owner];
    };
    const { body, warning } = await send('POST', maps, configMap('a'));
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(warning).toContain('contains duplicate entries after mutating admission happens; API server dedups');
  });

  it('name an object whose name would be generated', async () => {
    const { maps } = await newPaths();
    const names: string[] = [];
    acts.mutate = ({ object, name }) => {
      names.push(name);
      (object as Any).metadata.name = 'chosen';
    };
    acts.validate = ({ name }) => void names.push(name);
    const created = await send('POST', maps, { metadata: { generateName: 'x-' } });
    expect([created.body.metadata.name, names]).toEqual(['chosen', ['', 'chosen']]);
  });

  it('of a token request take effect', async () => {
    const { core } = await newPaths();
    await send('POST', `${core}/serviceaccounts`, { metadata: { name: 's' } });
    acts.mutate = ({ subresource, object }) => {
      if (subresource === 'token') (object as Any).spec.expirationSeconds = 700;
    };
    const { body } = await send('POST', `${core}/serviceaccounts/s/token`, { spec: { audiences: ['a'] } });
    expect(body.spec.expirationSeconds).toBe(700);
  });
});

describe('a conflicting write', () => {
  it('is admitted again with the object that won', async () => {
    const { maps } = await newPaths();
    await send('POST', maps, configMap('a', {}, { a: '1' }));
    const seen: Any[] = [];
    acts.mutate = async ({ oldObject, object }) => {
      if (!oldObject) return;
      seen.push([oldObject.data, object?.data]);
      if (seen.length === 1) await send('PATCH', `${maps}/a`, { data: { b: '2' } }, merge);
    };
    const patched = await send('PATCH', `${maps}/a`, { data: { c: '3' } }, merge);
    expect(patched.body.data).toEqual({ a: '1', b: '2', c: '3' });
    expect(seen).toEqual([
      [{ a: '1' }, { a: '1', c: '3' }],
      [{ a: '1' }, { a: '1', b: '2' }],
      [
        { a: '1', b: '2' },
        { a: '1', b: '2', c: '3' },
      ],
    ]);
  });
});

describe('rejections', () => {
  it.each([
    ['pods/missing/exec?command=ls', 'POST'],
    ['pods/missing/attach', 'GET'],
    ['pods/missing/portforward', 'POST'],
    ['pods/missing/proxy/x', 'PUT'],
    ['services/missing/proxy/', 'GET'],
  ])('of the connection %s come before it is made', async (path, method) => {
    const { core } = await newPaths();
    expect((await send(method, `${core}/${path}`)).status).not.toBe(403);
    for (const phase of ['mutate', 'validate'] as const) {
      acts = { [phase]: rejecting(({ operation }) => operation === 'CONNECT') };
      const { status, body } = await send(method, `${core}/${path}`);
      expect([status, body.message]).toEqual([403, expect.stringMatching(/is forbidden: rejected$/)]);
    }
  });

  it('do not concern logs', async () => {
    const { core } = await newPaths();
    acts.mutate = rejecting(({ subresource }) => subresource === 'log');
    expect((await send('GET', `${core}/pods/missing/log`)).status).toBe(404);
  });

  it.each([
    ['/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'default' } }],
    ['/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } }],
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
  ])('of the review %s are answered', async (path, body) => {
    acts.validate = rejecting(({ resource }) => path.endsWith(resource.names.plural));
    expect((await send('POST', path, body)).status).toBe(403);
  });

  it('of an eviction or a binding leave the pod as it is', async () => {
    const { core } = await newPaths();
    await send('POST', `${core}/serviceaccounts`, { metadata: { name: 'default' } });
    await send('POST', `${core}/pods`, { metadata: { name: 'p' }, spec });
    acts.validate = rejecting(({ subresource }) => ['eviction', 'binding'].includes(subresource));
    expect((await send('POST', `${core}/pods/p/eviction`, { metadata: { name: 'p' } })).status).toBe(403);
    const binding = { metadata: { name: 'p' }, target: { name: 'n' } };
    expect((await send('POST', `${core}/pods/p/binding`, binding)).status).toBe(403);
    const { body } = await send('GET', `${core}/pods/p`);
    expect([body.spec.nodeName, body.metadata.deletionTimestamp]).toEqual([undefined, undefined]);
  });

  it('of one item fail the deletion of a collection', async () => {
    const { maps } = await newPaths();
    for (const name of ['a', 'b']) await send('POST', maps, configMap(name, { group: 'x' }));
    acts.validate = rejecting(({ operation, oldObject }) => operation === 'DELETE' && oldObject?.metadata.name === 'b');
    expect((await send('DELETE', `${maps}?labelSelector=group%3Dx`)).status).toBe(403);
    expect((await send('GET', `${maps}/b`)).status).toBe(200);
  });

  it('of a scale leave the scaled object as it is', async () => {
    const { apps } = await newPaths();
    await send('POST', `${apps}/deployments`, deployment);
    acts.validate = rejecting(({ body, object }) => body?.kind === 'Scale' && (object as Any).spec.replicas > 3);
    expect((await send('PATCH', `${apps}/deployments/d/scale`, { spec: { replicas: 4 } }, merge)).status).toBe(403);
    expect((await send('PATCH', `${apps}/deployments/d/scale`, { spec: { replicas: 3 } }, merge)).status).toBe(200);
  });
});

describe('writes of controllers', () => {
  it('are admitted: the contents of a namespace are deleted as collections', async () => {
    const { maps, namespace, core } = await newPaths();
    await send('POST', maps, configMap('a'));
    const seen: Any[] = [];
    acts.validateAll = ({ operation, oldObject, name, user, options }) => {
      if (operation !== 'DELETE' || oldObject?.metadata.namespace !== namespace || oldObject.metadata.name !== 'a') return;
      seen.push([name, user.name, options()]);
    };
    await send('DELETE', core);
    await until(async () => (await send('GET', core)).status === 404);
    const options = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' };
    expect(seen).toEqual([['', 'system:kube-controller-manager', options]]);
  });
});
