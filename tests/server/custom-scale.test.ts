import { expect, it, vi } from 'vitest';
import type { Any } from '../support/client.ts';
import { useServer } from '../support/server.ts';

const t = useServer();
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const flocks = '/apis/scale.example.com/v1/namespaces/default/flocks';

const size = { type: 'object', properties: { size: { type: 'integer' } } };

const definition = {
  metadata: { name: 'flocks.scale.example.com' },
  spec: {
    group: 'scale.example.com',
    scope: 'Namespaced',
    names: { kind: 'Flock', plural: 'flocks' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: size, status: size } } },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
    ],
  },
};

it('maps the ownership of replicas to specReplicasPath', async () => {
  await t.client.send('POST', definitions, definition);
  await vi.waitFor(async () => expect((await t.client.get(flocks)).status).toBe(200), { timeout: 5000, interval: 20 });
  const sheep = { apiVersion: 'scale.example.com/v1', kind: 'Flock', metadata: { name: 'sheep' }, spec: { size: 1 } };
  await t.client.send('POST', `${flocks}?fieldManager=shepherd`, sheep);
  const merge = { 'content-type': 'application/merge-patch+json' };
  const scaled = await t.client.send('PATCH', `${flocks}/sheep/scale?fieldManager=dog`, { spec: { replicas: 9 } }, merge);
  expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 9 } });
  const { body } = await t.client.get(`${flocks}/sheep`);
  expect(body.spec.size).toBe(9);
  const owners = body.metadata.managedFields.map(({ manager, subresource, fieldsV1 }: Any) => [manager, subresource, fieldsV1]);
  expect(owners).toContainEqual(['dog', 'scale', { 'f:spec': { 'f:size': {} } }]);
});
