import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClientCertificate, Credentials } from '@tsukube/client';
import { addressText, type KubeletAddress } from './kubelet-address.ts';
import { type NodeSample, NodeSampleReader } from './node-sample.ts';

export interface KubeletClientOptions {
  /** PEM; the system's authorities if undefined. */
  readonly ca?: string | undefined;
  /** Does not verify the kubelets' certificates. */
  readonly insecure?: boolean;
  /** Plain HTTP without credentials. */
  readonly plainHttp?: boolean;
  readonly credentials?: Credentials | undefined;
  /** 16 MiB by default. */
  readonly maxBodyBytes?: number;
  readonly now?: () => number;
}

/** Reads the resource metrics of kubelets. */
export interface KubeletClient {
  /** Rejects if the kubelet does not answer in the text format before the signal is aborted. */
  scrape(address: KubeletAddress, signal: AbortSignal): Promise<NodeSample>;
  close(): void;
}

/** Accept header of Prometheus' text format, the only one that is parsed. */
const accept = 'text/plain;version=0.0.4;q=1,*/*;q=0.1';

/**
 * Connections are not kept: in a period of 15 seconds a resumed TLS handshake takes less than the memory of 1,000 idle connections
 * is worth. Sessions are cached for resumption.
 */
export function kubeletClient(options: KubeletClientOptions = {}): KubeletClient {
  const { maxBodyBytes = 16 * 2 ** 20, now = Date.now, plainHttp = false, insecure = false } = options;
  const agent = plainHttp ? new HttpAgent({ keepAlive: false }) : new HttpsAgent({ keepAlive: false, maxCachedSessions: 2000 });
  const contexts = new SecureContexts(options.ca);
  const tlsOptions = async ({ host }: KubeletAddress) => ({
    rejectUnauthorized: !insecure,
    secureContext: contexts.of(await options.credentials?.certificate()),
    ...(isIP(host) === 0 && { servername: host }),
  });
  return {
    async scrape(address, signal) {
      const requestedMs = now();
      const authorization = plainHttp ? undefined : await options.credentials?.authorization();
      const headers = { accept, ...(authorization !== undefined && { authorization }) };
      const security = plainHttp ? {} : await tlsOptions(address);
      const response = await send(address, { agent, signal, headers, ...security }, plainHttp);
      return readSample(response, new NodeSampleReader(requestedMs), maxBodyBytes);
    },
    close: () => agent.destroy(),
  };
}

/** One context for all connections: each holds the parsed authorities, outside of the heap. */
class SecureContexts {
  readonly #ca: string | undefined;
  #last: { readonly certificate: ClientCertificate | undefined; readonly context: SecureContext } | undefined;

  constructor(ca: string | undefined) {
    this.#ca = ca;
  }

  /** The client certificate may be renewed. */
  of(certificate: ClientCertificate | undefined): SecureContext {
    const known = this.#last;
    if (known && known.certificate?.cert === certificate?.cert && known.certificate?.key === certificate?.key)
      return known.context;
    const context = createSecureContext({ ...(this.#ca !== undefined && { ca: this.#ca }), ...certificate });
    this.#last = { certificate, context };
    return context;
  }
}

type RequestOptions = Parameters<typeof requestHttps>[1] & object;

function send(address: KubeletAddress, options: RequestOptions, plainHttp: boolean): Promise<IncomingMessage> {
  const { host, port, path } = address;
  const request = (plainHttp ? requestHttp : requestHttps)({ ...options, host, port, path, method: 'GET' });
  return new Promise((resolve, reject) => {
    request.once('error', (cause) => reject(new Error(`${addressText(address)}: ${cause.message || cause.name}`, { cause })));
    request.once('response', resolve);
    request.end();
  });
}

/** Parses while the body arrives; a kubelet that sends too much or something else is cut off. */
async function readSample(response: IncomingMessage, reader: NodeSampleReader, maxBodyBytes: number): Promise<NodeSample> {
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the kubelet answered with status ${response.statusCode}`);
  }
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error(`the kubelet sent more than ${maxBodyBytes} bytes`);
    reader.push(chunk);
  }
  if (!response.complete) throw new Error('the kubelet ended the connection before the end of its metrics');
  return reader.end();
}
