import { describe, expect, it } from 'vitest';
import { createDefinition, definition } from '../support/definitions.ts';
import { useServer } from '../support/server.ts';

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('a scale', () => {
  const t = useServer();
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = {
    metadata: { name: 'd' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };

  it('is available in every format', async () => {
    expect((await t.client.send('POST', deployments, deployment)).status).toBe(201);
    const { body } = await t.client.get(`${deployments}/d/scale`, table);
    expect(body.columnDefinitions.map(({ name, type }: { name: string; type: string }) => [name, type])).toEqual([
      ['Name', 'string'],
      ['Desired', 'integer'],
      ['Available', 'integer'],
      ['Age', 'string'],
    ]);
    expect(body.rows[0]).toMatchObject({ cells: ['d', 3, 0, expect.any(String)], object: { kind: 'PartialObjectMetadata' } });
    const whole = await t.client.get(`${deployments}/d/scale?includeObject=Object`, table);
    expect(whole.body.rows[0].object).toMatchObject({ kind: 'Scale', spec: { replicas: 3 }, status: { selector: 'a=b' } });
    const metadata = await t.client.get(`${deployments}/d/scale`, {
      accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
    });
    expect(metadata.body).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'd' } });
    const message = await t.client.get(`${deployments}/d/scale`, { accept: 'application/vnd.kubernetes.protobuf' });
    expect([message.status, message.headers['content-type']]).toEqual([200, 'application/vnd.kubernetes.protobuf']);
    expect(message.text).toMatch(/^k8s\0[\s\S]*autoscaling\/v1[\s\S]*Scale/);
  });

  it('of a custom resource, too', async () => {
    const subresources = { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } };
    const path = await createDefinition(t.client, definition('herds', { group: 'scale.example.com', version: { subresources } }));
    const herd = { apiVersion: 'scale.example.com/v1', kind: 'Herd', metadata: { name: 'h' }, spec: { size: 2 } };
    expect((await t.client.send('POST', path, herd)).status).toBe(201);
    const { body } = await t.client.get(`${path}/h/scale`, table);
    expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Desired', 'Available', 'Age']);
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['h', 2, 0]);
  });
});
