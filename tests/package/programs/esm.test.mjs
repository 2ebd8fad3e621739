import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startServer, TsukubeOptionError } from 'tsukube';

let server;

before(async () => {
  server = await startServer();
});

after(() => server.close());

test('serves', async () => {
  const { name } = await server.namespace();
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: 'b' } };
  const response = await server.fetch(`/api/v1/namespaces/${name}/configmaps`, { method: 'POST', body });
  assert.equal(response.status, 201);
  await server.reset();
  assert.equal((await server.fetch(`/api/v1/namespaces/${name}`)).status, 404);
});

test('reads YAML and regular expressions of users', async () => {
  await server.apply(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: lamps.example.com }
spec:
  group: example.com
  names: { plural: lamps, kind: Lamp }
  scope: Cluster
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema: { type: object, properties: { color: { type: string, pattern: '^(red|green)$' } } }
`);
  const lamp = { apiVersion: 'example.com/v1', kind: 'Lamp', metadata: { name: 'a' }, color: 'blue' };
  await assert.rejects(server.apply(lamp), /manifests, Lamp a: .*color: Invalid value: "blue"/);
});

test('explains kinds', async () => {
  const { definitions } = await (await server.fetch('/openapi/v2')).json();
  assert.match(definitions['io.k8s.api.core.v1.ConfigMap'].description, /^ConfigMap holds configuration data/);
});

test('checks options', async () => {
  await assert.rejects(
    startServer({ securPort: 1 }),
    (error) => error instanceof TsukubeOptionError && error.option === 'securPort',
  );
});
