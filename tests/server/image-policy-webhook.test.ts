import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';

const directory = mkdtempSync(join(tmpdir(), 'image-policy-'));
const reviews: { readonly url: string; readonly body: Any }[] = [];

function reply(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}

const json = 'application/json';
const imageReview = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1' };
const reviewed = (status: object) => [200, json, JSON.stringify({ ...imageReview, status })] as const;

/** The response of the webhook, by image. */
const replies: Readonly<Record<string, readonly [number, string, string]>> = {
  allowed: reviewed({ allowed: true, auditAnnotations: { k: 'v' } }),
  denied: reviewed({ allowed: false }),
  reason: reviewed({ allowed: false, reason: 'because' }),
  broken: [500, 'text/plain', 'broken'],
  missing: [404, 'text/plain', 'nope'],
  forbidden: [403, 'text/plain', 'nope'],
  status: [400, json, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"my message","code":400}'],
  garbage: [200, json, '{'],
  empty: [200, json, ''],
  kind: [200, json, '{"kind":"Foo","apiVersion":"v1"}'],
  untyped: [200, json, '{"status":{"allowed":true}}'],
};

let webhook: Server;
beforeAll(async () => {
  webhook = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      reviews.push({ url: request.url ?? '', body });
      const image = body.spec.containers?.[0]?.image;
      if (image === 'reset') return request.socket.destroy();
      return reply(response, ...(replies[image] ?? reviewed({ allowed: true })));
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  webhook.closeAllConnections();
  webhook.close();
  rmSync(directory, { recursive: true });
});

function writeConfiguration(name: string, server: string, more: object = {}): StartOptions {
  const kubeConfigFile = join(directory, `${name}.kubeconfig`);
  const entries = { clusters: [{ name: 'c', cluster: { server } }], contexts: [{ name: 'c', context: { cluster: 'c' } }] };
  writeFileSync(kubeConfigFile, JSON.stringify({ ...entries, 'current-context': 'c' }));
  const admissionControlConfigFile = join(directory, `${name}.yaml`);
  writeFileSync(admissionControlConfigFile, JSON.stringify({ imagePolicy: { kubeConfigFile, retryBackoff: 1, ...more } }));
  const plugins = { enableAdmissionPlugins: ['ImagePolicyWebhook'], disableAdmissionPlugins: ['ServiceAccount'] };
  return { storage: 'memory', securePort: 0, ...plugins, admissionControlConfigFile };
}

const address = () => `http://127.0.0.1:${(webhook.address() as AddressInfo).port}`;

async function withServer(options: StartOptions, test: (client: Client, server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer(options);
  const client = clientFor(server.kubeconfig);
  try {
    await test(client, server);
  } finally {
    client.close();
    await server.close();
  }
}

const pods = '/api/v1/namespaces/default/pods';
const create = (client: Client, image: string, annotations = {}) =>
  client.send('POST', pods, {
    metadata: { name: image, annotations },
    spec: { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: 'init' }] },
  });

describe('ImagePolicyWebhook', () => {
  // Responses of kube-apiserver 1.36.4 to the same webhook.
  it('admits the images that a webhook allows', async () => {
    await withServer(writeConfiguration('reviews', `${address()}/review`), async (client) => {
      const messages: Record<string, string> = {};
      for (const image of [...Object.keys(replies), 'reset']) {
        const { status, body } = await create(client, image);
        messages[image] = status === 201 ? 'created' : `${status} ${body.message}`.replace(`pods "${image}" is forbidden: `, '');
      }
      expect(messages).toEqual({
        allowed: 'created',
        denied: '403 one or more images rejected by webhook backend',
        reason: '403 image policy webhook backend denied one or more images: because',
        broken: '403 an error on the server ("broken") has prevented the request from succeeding',
        missing: '403 the server could not find the requested resource',
        forbidden: '403 nope',
        status: '403 my message',
        garbage: "403 couldn't get version/kind; json parse error: unexpected end of JSON input",
        empty: '403 0-length response with status code: 200 and content type: application/json',
        kind: '403 no kind "Foo" is registered for version "v1"',
        untyped: 'created',
        reset: `403 Post "${address()}/review?timeout=30s": EOF`,
      });
      expect(reviews[0]).toEqual({
        url: '/review?timeout=30s',
        body: {
          ...imageReview,
          metadata: {},
          spec: { containers: [{ image: 'allowed' }, { image: 'init' }], namespace: 'default' },
          status: { allowed: false },
        },
      });
      const times = (image: string) => reviews.filter(({ body }) => body.spec.containers[0].image === image).length;
      expect([times('broken'), times('missing')]).toEqual([5, 1]);
      // A reset of a connection that was used before is tried again on a new one.
      expect(times('reset')).toBeLessThanOrEqual(2);
      await create(client, 'denied');
      expect(times('denied'), 'decisions are cached').toBe(1);
      await create(client, 'denied', { 'a.image-policy.k8s.io/b': 'c', other: 'd' });
      expect(reviews.at(-1)?.body.spec.annotations).toEqual({ 'a.image-policy.k8s.io/b': 'c' });
    });
  });

  it('reviews images of ephemeral containers', async () => {
    await withServer(writeConfiguration('ephemeral', address()), async (client) => {
      await create(client, 'allowed');
      const added = { spec: { ephemeralContainers: [{ name: 'e', image: 'reason' }] } };
      const { body } = await client.send('PATCH', `${pods}/allowed/ephemeralcontainers`, added, {
        'content-type': 'application/strategic-merge-patch+json',
      });
      expect(body.message).toBe('pods "allowed" is forbidden: image policy webhook backend denied one or more images: because');
    });
  });

  it('admits all images by default if so configured', async () => {
    const options = writeConfiguration('open', 'http://127.0.0.1:1', { defaultAllow: true });
    await withServer(options, async (client) => {
      const { status, body } = await create(client, 'any');
      expect([status, body.metadata.annotations]).toEqual([201, undefined]);
    });
  });

  it.each([
    [{ allowTTL: 50_000 }, 'valid value is between 1s and 30m0s, got 13h53m20s'],
    [{ kubeConfigFile: '/missing/kubeconfig' }, 'no such file or directory'],
  ])('does not start with %j', async (more, message) => {
    const starting = startServer(writeConfiguration('bad', address(), more));
    await expect(starting).rejects.toThrow(message);
    await expect(starting).rejects.toThrow(`failed to apply admission: couldn't init admission plugin "ImagePolicyWebhook": `);
  });
});
