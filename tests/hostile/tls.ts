import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';
import type { Client } from '../support/client.ts';

const contexts = new WeakMap<Client, SecureContext>();

/** The administrator's credentials, parsed once for all connections. */
export function credentials(client: Client): ConnectionOptions {
  let secureContext = contexts.get(client);
  if (!secureContext) {
    secureContext = createSecureContext(client.tls);
    contexts.set(client, secureContext);
  }
  return { secureContext };
}
