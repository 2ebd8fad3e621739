import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutate, serveWebhooks, validate } from '../../packages/sdk/src/index.ts';
import { placeOf } from '../docs/documents.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1';
const day = 24 * 3_600_000;

describe('webhooks of the SDK', () => {
  const t = useServer();
  const configMaps = <const Operation extends 'CREATE' | 'UPDATE' | 'DELETE'>(operation: Operation) =>
    ({ resource: 'configmaps', operations: [operation] }) as const;

  it('see creations, updates, deletions and dry runs', async () => {
    const path = await newNamespace(t.client);
    const seen: unknown[] = [];
    const record = validate({ resource: 'configmaps', operations: ['*'] }, (request) => {
      const { operation, object, oldObject, dryRun, userInfo } = request;
      seen.push([operation, object?.data, oldObject?.data, dryRun, userInfo.username]);
    });
    await using _ = await serveWebhooks([record], { name: 'record', kubeconfig: t.server.kubeconfig, unregisterOnClose: true });
    await t.client.send('POST', `${path}?dryRun=All`, configMap('a', {}, { x: '1' }));
    await t.client.send('POST', path, configMap('a', {}, { x: '1' }));
    await t.client.send('PUT', `${path}/a`, configMap('a', {}, { x: '2' }));
    await t.client.send('DELETE', `${path}/a`);
    expect(seen).toEqual([
      ['CREATE', { x: '1' }, undefined, true, 'admin'],
      ['CREATE', { x: '1' }, undefined, false, 'admin'],
      ['UPDATE', { x: '2' }, { x: '1' }, false, 'admin'],
      ['DELETE', undefined, { x: '2' }, false, 'admin'],
    ]);
  });

  it('answer with the status, message and warnings of their handlers', async () => {
    const path = await newNamespace(t.client);
    const webhooks = [
      validate(configMaps('CREATE'), ({ name, deny, warn }) => {
        if (name === 'taken') deny('the name is taken', 409);
        if (name === 'broken') throw new Error('a secret');
        warn('short name');
      }),
    ];
    await using _ = await serveWebhooks(webhooks, {
      name: 'answers',
      kubeconfig: t.server.kubeconfig,
      unregisterOnClose: true,
      onError: () => {},
    });
    const taken = await t.client.send('POST', path, configMap('taken'));
    const prefix = 'admission webhook "configmaps.answers.webhook" denied the request: ';
    expect([taken.status, taken.body.reason, taken.body.message]).toEqual([409, 'Conflict', `${prefix}the name is taken`]);
    const broken = await t.client.send('POST', path, configMap('broken'));
    const message = `${prefix}the webhook failed; its log has the reason`;
    expect([broken.status, broken.body.reason, broken.body.message]).toEqual([500, 'InternalError', message]);
    const fine = await t.client.send('POST', path, configMap('fine'));
    expect([fine.status, fine.headers.warning]).toEqual([201, '299 - "short name"']);
  });

  it('are called after the CA and the certificate were renewed', async () => {
    const path = await newNamespace(t.client);
    let now = new Date();
    const label = mutate(configMaps('CREATE'), ({ object }) => {
      object.metadata.labels = { seen: 'yes' };
    });
    const options = { name: 'renewed', kubeconfig: t.server.kubeconfig, unregisterOnClose: true, now: () => now };
    await using server = await serveWebhooks([label], options);
    const bundle = async () =>
      (await t.client.get(`${configurations}/mutatingwebhookconfigurations/renewed`)).body.webhooks[0].clientConfig.caBundle;
    const first = await bundle();
    // The clock of the API server does not move: certificates from the past are due, and replaced by ones of today.
    const today = now;
    now = new Date(today.getTime() - 3400 * day);
    await server.refresh();
    expect(await bundle()).not.toBe(first);
    now = today;
    await server.refresh();
    expect(Buffer.from(await bundle(), 'base64').toString()).toBe(server.ca);
    const { status, body } = await t.client.send('POST', path, configMap('a'));
    expect([status, body.metadata.labels]).toEqual([201, { seen: 'yes' }]);
  });

  it('are replaced by those of the next version of a program, and removed on request', async () => {
    const options = { name: 'versions', kubeconfig: t.server.kubeconfig };
    const first = [
      mutate(configMaps('CREATE'), () => {}),
      validate(configMaps('CREATE'), () => {}),
      validate(configMaps('DELETE'), () => {}),
    ];
    await (await serveWebhooks(first, options)).close();
    const names = async (kind: string) => {
      const { status, body } = await t.client.get(`${configurations}/${kind}webhookconfigurations/versions`);
      return status === 404 ? [] : body.webhooks.map(({ name }: { name: string }) => name);
    };
    expect([await names('mutating'), await names('validating')]).toEqual([
      ['configmaps.versions.webhook'],
      ['configmaps.versions.webhook', 'configmaps-2.versions.webhook'],
    ]);
    await using second = await serveWebhooks([validate(configMaps('UPDATE'), () => {})], options);
    expect([await names('mutating'), await names('validating')]).toEqual([[], ['configmaps.versions.webhook']]);
    const { body } = await t.client.get(`${configurations}/validatingwebhookconfigurations/versions`);
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'versions', operation: 'Apply' }]);
    await second.unregister();
    expect([await names('mutating'), await names('validating')]).toEqual([[], []]);
  });

  it('share certificates in a Secret', async () => {
    await newNamespace(t.client);
    const certificates = { secret: { namespace: 'default', name: 'shared-certificates' } };
    const options = { name: 'shared', kubeconfig: t.server.kubeconfig, certificates, unregisterOnClose: true };
    const replicas = await Promise.all([1, 2, 3].map(() => serveWebhooks([], options)));
    expect(new Set(replicas.map(({ ca }) => ca)).size).toBe(1);
    const { body } = await t.client.get('/api/v1/namespaces/default/secrets/shared-certificates');
    expect([body.type, Buffer.from(body.data['ca.crt'], 'base64').toString()]).toEqual(['kubernetes.io/tls', replicas[0]?.ca]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('are not registered if the API server refuses', async () => {
    const webhook = validate({ ...configMaps('CREATE'), timeoutSeconds: 31 }, () => {});
    await expect(serveWebhooks([webhook], { name: 'refused', kubeconfig: t.server.kubeconfig })).rejects.toThrow(
      /timeoutSeconds: Invalid value: 31/,
    );
  });
});

it('the examples pass the type checker', { timeout: 60_000 }, () => {
  const args = [placeOf('node_modules/typescript/bin/tsc'), '-p', placeOf(join('examples', 'webhooks'))];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
