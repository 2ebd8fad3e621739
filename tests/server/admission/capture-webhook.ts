import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { memoryFiles } from '@tsukube/machinery/pki';
import { openPki } from '../../../packages/server/src/pki/pki.ts';
import type { Any, Client } from '../../support/client.ts';
import type { AdmittedCall } from './admitted.ts';

export interface CaptureWebhook {
  /** The calls since the last time, of the user `admin`. */
  taken(): readonly AdmittedCall[];
  close(): Promise<void>;
}

const configurationName = 'capture.example.com';
const group = '/apis/admissionregistration.k8s.io/v1';

/** Registers a webhook for all requests with a kube-apiserver on this machine. It admits everything and keeps the requests. */
export async function captureAdmission(client: Client): Promise<CaptureWebhook> {
  const options = { hosts: ['127.0.0.1'], clientKeyAlgorithm: 'ecdsa' } as const;
  const { ca, serving } = openPki(memoryFiles(), options, new Date());
  let calls: AdmittedCall[] = [];
  const server = createServer({ cert: serving.certificate, key: serving.key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString());
    if (isByAdmin(review.request)) calls.push(callIn(review.request, request.url?.startsWith('/mutate') ? 'mutate' : 'validate'));
    const answer = { ...review, request: undefined, response: { uid: review.request.uid, allowed: true } };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await register(client, `https://127.0.0.1:${port}`, Buffer.from(ca).toString('base64'));
  return {
    taken() {
      const taken = calls;
      calls = [];
      return taken;
    },
    async close() {
      for (const kind of ['mutating', 'validating'])
        await client.send('DELETE', `${group}/${kind}webhookconfigurations/${configurationName}`);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function register(client: Client, url: string, caBundle: string): Promise<void> {
  const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] };
  for (const [kind, path] of [
    ['Mutating', 'mutate'],
    ['Validating', 'validate'],
  ] as const) {
    const webhook = {
      name: configurationName,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      matchPolicy: 'Exact',
      clientConfig: { url: `${url}/${path}`, caBundle },
      rules: [everything],
    };
    const body = { metadata: { name: configurationName }, webhooks: [webhook] };
    const { status, text } = await client.send('POST', `${group}/${kind.toLowerCase()}webhookconfigurations`, body);
    if (status !== 201) throw new Error(text);
  }
  // kube-apiserver learns of configurations by a watch.
  await new Promise((resolve) => setTimeout(resolve, 3000));
}

function isByAdmin({ userInfo }: Any): boolean {
  return userInfo.username === 'admin';
}

function callIn(request: Any, phase: AdmittedCall['phase']): AdmittedCall {
  const { operation, kind, resource, subResource = '', name = '', namespace = '', dryRun } = request;
  return {
    phase,
    operation,
    kind: [kind.group, kind.version, kind.kind].join('/'),
    resource: [resource.group, resource.version, resource.resource, subResource].join('/'),
    name,
    namespace,
    dryRun,
    ...(request.options && { options: request.options }),
    ...(request.object && { object: request.object }),
    ...(request.oldObject && { oldObject: request.oldObject }),
  };
}
