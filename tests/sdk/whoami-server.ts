import { request } from 'node:https';
import {
  answerText,
  authentication,
  authorization,
  chain,
  healthDelegate,
  IncomingRequest,
  panicRecovery,
  silentLogger,
  withRequestInfo,
} from '@tsukube/apiserver';
import type { DelegatedAuthentication, DelegatedAuthorization } from '@tsukube/sdk';
import { listen } from '@tsukube/transport';
import { type Certificate, certificate } from '../support/certificates.ts';
import type { Any } from '../support/client.ts';

const serving = certificate('whoami', { for: 'server', hosts: ['127.0.0.1'] });

export interface WhoamiServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server behind delegated authentication and authorization that answers every path with the user of the request. */
export async function startWhoami(who: DelegatedAuthentication, may: DelegatedAuthorization): Promise<WhoamiServer> {
  const checks = { healthz: [], livez: [], readyz: [{ name: 'delegated-authentication', check: () => who.ready() }] };
  const health = healthDelegate(() => checks, silentLogger);
  const handler = chain(
    [
      panicRecovery(silentLogger),
      withRequestInfo(),
      authentication(who.authenticate, { isCredential: who.isCredential }),
      authorization(may.authorizer),
    ],
    (incoming) => health(incoming) ?? answerText(200, JSON.stringify(incoming.user)),
  );
  const tls = () => ({ cert: serving.pem, key: serving.key, ca: [...who.clientAuthorities()] });
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    tls: tls(),
    maxStreamsPerConnection: 100,
    handle: (exchange) => handler(new IncomingRequest(exchange, Date.now())),
  });
  who.onChange(() => listener.setSecureContext(tls()));
  return {
    url: `https://127.0.0.1:${listener.address.port}`,
    async close() {
      listener.force();
      await listener.close();
      who.close();
      may.close();
    },
  };
}

export interface Question {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly client?: Pick<Certificate, 'pem' | 'key'>;
  readonly agent?: Any;
}

/** The status and the parsed body, or the text if it is not JSON. */
export function get(url: string, { headers = {}, client, agent = false }: Question = {}): Promise<[status: number, body: Any]> {
  return new Promise((resolve, reject) => {
    const tls = { rejectUnauthorized: false, ...(client && { cert: client.pem, key: client.key }) };
    const sent = request(url, { ...tls, agent, headers: headers as Record<string, string> }, async (response) => {
      let text = '';
      for await (const piece of response) text += piece;
      resolve([response.statusCode ?? 0, text.startsWith('{') ? JSON.parse(text) : text]);
    });
    sent.on('error', reject);
    sent.end();
  });
}
