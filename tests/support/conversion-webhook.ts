import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { memoryFiles } from '@tsukube/machinery/pki';
import { openPki } from '../../packages/server/src/pki/pki.ts';
import type { Any } from './client.ts';

export interface ConversionWebhook {
  readonly port: number;
  /** The clientConfig of a CRD that uses this webhook by URL. */
  clientConfig(path?: string): { url: string; caBundle: string };
  readonly caBundle: string;
  /** The ConversionReviews received. */
  readonly reviews: Any[];
  /** Creates the response; tests may replace it. */
  answer: (review: Any) => Any;
  /** If set, writes the raw HTTP response instead. */
  respond: ((response: ServerResponse) => void) | undefined;
  close(): Promise<void>;
}

/** Starts a conversion webhook with TLS on localhost. `convert` returns the object in another version, or throws to fail the conversion. */
export async function startConversionWebhook(convert: (object: Any, apiVersion: string) => Any): Promise<ConversionWebhook> {
  const { ca, serving } = openPki(
    memoryFiles(),
    { hosts: ['127.0.0.1', 'converter.default.svc'], clientKeyAlgorithm: 'ecdsa' },
    new Date(),
  );
  const reviews: Any[] = [];
  const server = createServer({ cert: serving.certificate, key: serving.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString());
      reviews.push(review);
      if (webhook.respond) return webhook.respond(response);
      const answer = webhook.answer(review);
      if (answer === undefined) response.destroy();
      else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const caBundle = Buffer.from(ca).toString('base64');
  const webhook: ConversionWebhook = {
    port,
    caBundle,
    reviews,
    respond: undefined,
    clientConfig: (path = '/convert') => ({ url: `https://127.0.0.1:${port}${path}`, caBundle }),
    answer: ({ apiVersion, kind, request }) => ({
      apiVersion,
      kind,
      response: { uid: request.uid, ...converted(request, convert) },
    }),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return webhook;
}

function converted({ objects, desiredAPIVersion }: Any, convert: (object: Any, apiVersion: string) => Any): Any {
  try {
    const convertedObjects = objects.map((object: Any) => convert(object, desiredAPIVersion));
    return { result: { status: 'Success' }, convertedObjects };
  } catch (error) {
    return { result: { status: 'Failure', message: (error as Error).message } };
  }
}

/** The example of the Kubernetes documentation: `host` and `port` in one version, `hostPort` in the other. */
export function convertHostPort(object: Any, apiVersion: string): Any {
  const { hostPort, host, port, ...rest } = object;
  if (apiVersion.endsWith('/v1')) return { ...rest, apiVersion, host: hostPort?.split(':')[0], port: hostPort?.split(':')[1] };
  return { ...rest, apiVersion, hostPort: `${host}:${port}` };
}
