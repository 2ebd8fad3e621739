import { describe, expect, it } from 'vitest';
import type { Any } from '../support/client.ts';
import { createDefinition, definition, until } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const merge = { 'content-type': 'application/merge-patch+json' };
const text = { type: 'string' };
const withSpec = (properties: object) => ({ type: 'object', properties: { spec: { type: 'object', properties } } });

describe('the lifecycle of a CRD', () => {
  const t = useServer();
  const conditionsOf = async (name: string) =>
    Object.fromEntries(
      ((await t.client.get(`${definitions}/${name}`)).body.status?.conditions ?? []).map((each: Any) => [each.type, each]),
    );

  it('waits for names of another CRD, and gets them when that is deleted', async () => {
    const group = 'names.example.com';
    await createDefinition(t.client, definition('boxes', { group, names: { shortNames: ['bx'] } }));
    const rival = definition('bins', { group, names: { kind: 'Box', listKind: 'BoxList', shortNames: ['bx'] } });
    await t.client.send('POST', definitions, rival);
    const name = `bins.${group}`;
    await until(async () => (await conditionsOf(name)).NamesAccepted?.status === 'False');
    const conditions = await conditionsOf(name);
    expect(conditions.NamesAccepted).toMatchObject({ reason: 'ListKindConflict', message: '"BoxList" is already in use' });
    expect(conditions.Established).toMatchObject({
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    });
    expect((await t.client.get(`/apis/${group}/v1/namespaces/default/bins`)).status).toBe(404);
    await t.client.send('DELETE', `${definitions}/boxes.${group}`);
    await until(async () => (await conditionsOf(name)).Established?.status === 'True');
    expect((await t.client.get(`/apis/${group}/v1/namespaces/default/bins`)).status).toBe(200);
  });

  it('has the condition KubernetesAPIApprovalPolicyConformant', async () => {
    const object = definition('things', { group: 'things.k8s.io' });
    Object.assign(object.metadata, { annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } });
    await createDefinition(t.client, object);
    expect((await conditionsOf('things.things.k8s.io')).KubernetesAPIApprovalPolicyConformant).toMatchObject({
      status: 'False',
      reason: 'UnapprovedAnnotation',
      message: 'not approved: "unapproved, a test"',
    });
  });

  it('waits for objects with finalizers, and refuses new ones', async () => {
    const group = 'held.example.com';
    const path = await createDefinition(t.client, definition('boxes', { group }));
    const box = (name: string, more: object = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Box',
      metadata: { name, ...more },
    });
    await t.client.send('POST', path, box('held', { finalizers: ['example.com/hold'] }));
    await t.client.send('DELETE', `${definitions}/boxes.${group}`);
    await until(async () => (await conditionsOf(`boxes.${group}`)).Terminating?.reason === 'InstanceDeletionCheck');
    expect((await t.client.get(`${path}/held`)).body.metadata.deletionTimestamp).toBeDefined();
    const { status, body } = await t.client.send('POST', path, box('new'));
    expect([status, body.message]).toEqual([
      403,
      'boxes.held.example.com "new" is forbidden: create not allowed while custom resource definition is terminating',
    ]);
    const { body: list } = await t.client.get(`/apis/${group}/v1`);
    expect(list.resources[0].verbs).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
    await t.client.send('PATCH', `${path}/held`, { metadata: { finalizers: null } }, merge);
    await until(async () => (await t.client.get(`${definitions}/boxes.${group}`)).status === 404, 20_000);
  });

  it('is added to and removed from discovery, and has an APIService', async () => {
    const group = 'found.example.com';
    await createDefinition(t.client, definition('boxes', { group, names: { shortNames: ['bx'], categories: ['all'] } }));
    expect((await t.client.get('/apis')).text).toContain(group);
    const aggregated = { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
    const { items } = (await t.client.get('/apis', aggregated)).body;
    expect(items.find(({ metadata }: Any) => metadata.name === group).versions[0].resources[0]).toMatchObject({
      resource: 'boxes',
      shortNames: ['bx'],
      categories: ['all'],
      scope: 'Namespaced',
    });
    expect((await t.client.get('/openapi/v3')).body.paths[`apis/${group}/v1`]).toBeDefined();
    const service = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`;
    await until(async () => (await t.client.get(service)).status === 200);
    expect((await t.client.get(service)).body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'true' } },
      spec: { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True', reason: 'Local' }] },
    });
    await t.client.send('DELETE', `${definitions}/boxes.${group}`);
    await until(async () => (await t.client.get(service)).status === 404);
    expect((await t.client.get('/apis')).text).not.toContain(group);
    expect((await t.client.get('/openapi/v3')).body.paths[`apis/${group}/v1`]).toBeUndefined();
  });

  it('built-in versions have APIServices', async () => {
    const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1.apps';
    await until(async () => (await t.client.get(service)).status === 200);
    expect((await t.client.get(service)).body).toMatchObject({
      metadata: { labels: { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' } },
      spec: { group: 'apps', version: 'v1', groupPriorityMinimum: 17800, versionPriority: 15 },
    });
  });

  it('schema updates end watches, apply new defaults and prune unknown fields', async () => {
    const group = 'changed.example.com';
    const path = await createDefinition(t.client, definition('boxes', { group, schema: withSpec({ a: text, b: text }) }));
    const box = { apiVersion: `${group}/v1`, kind: 'Box', metadata: { name: 'a' }, spec: { a: 'x', b: 'y' } };
    await t.client.send('POST', path, box);
    const watch = await t.client.watch(`${path}?watch=1`);
    await watch.next();
    const schema = withSpec({ a: { type: 'integer' }, c: { type: 'string', default: 'new' } });
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }];
    const patched = await t.client.send('PATCH', `${definitions}/boxes.${group}`, { spec: { versions } }, merge);
    expect(patched.status).toBe(200);
    expect(await watch.take(1)).toEqual([]);
    // Values that the new schema does not allow are still served.
    expect((await t.client.get(`${path}/a`)).body.spec).toEqual({ a: 'x', c: 'new' });
    const { body } = await t.client.send('PATCH', `${path}/a`, { metadata: { labels: { l: 'v' } } }, merge);
    expect(body.metadata.labels).toEqual({ l: 'v' });
  });

  it('custom resources are deleted with their namespace', async () => {
    const group = 'namespaced.example.com';
    await createDefinition(t.client, definition('boxes', { group }));
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'with-boxes' } };
    await t.client.send('POST', '/api/v1/namespaces', namespace);
    const path = `/apis/${group}/v1/namespaces/with-boxes/boxes`;
    const box = { apiVersion: `${group}/v1`, kind: 'Box', metadata: { name: 'a' } };
    expect((await t.client.send('POST', path, box)).status).toBe(201);
    await t.client.send('DELETE', '/api/v1/namespaces/with-boxes');
    await until(async () => (await t.client.get('/api/v1/namespaces/with-boxes')).status === 404);
    expect((await t.client.get(`${path}/a`)).status).toBe(404);
  });

  it('custom resources are deleted with their owners', async () => {
    const group = 'owned.example.com';
    const path = await createDefinition(t.client, definition('boxes', { group }));
    const box = (name: string, more: object = {}) => ({ apiVersion: `${group}/v1`, kind: 'Box', metadata: { name, ...more } });
    const { body: owner } = await t.client.send('POST', path, box('owner'));
    const ownerReferences = [{ apiVersion: `${group}/v1`, kind: 'Box', name: 'owner', uid: owner.metadata.uid }];
    await t.client.send('POST', path, box('owned', { ownerReferences }));
    await t.client.send('DELETE', `${path}/owner`);
    await until(async () => (await t.client.get(`${path}/owned`)).status === 404);
  });

  it('can be cluster-scoped', async () => {
    const group = 'cluster.example.com';
    const path = await createDefinition(t.client, definition('boxes', { group, scope: 'Cluster' }));
    expect((await t.client.get(path)).status).toBe(200);
    expect((await t.client.get(`/apis/${group}/v1/namespaces/default/boxes`)).status).toBe(404);
  });
});
