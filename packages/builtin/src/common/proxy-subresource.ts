import type { ResourceRequest, Subresource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';

/** `scheme:name:port`, of which only the name must be there. */
export function splitName(text: string): { readonly name: string; readonly port: string } {
  const parts = text.split(':');
  if (parts.length === 1) return { name: text, port: '' };
  if (parts.length === 2) return { name: parts[0] as string, port: parts[1] as string };
  return { name: parts[1] as string, port: parts[2] as string };
}

/** The server knows where the way would lead, and does not go it. */
export function notReachable({ info }: ResourceRequest, what: string): StatusError {
  const { resource, name, subresource } = info;
  const message = `${resource} ${JSON.stringify(name)}: ${subresource} needs a connection to ${what}, which this server does not make`;
  return new StatusError({ status: 'Failure', message, code: 501 });
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** A way through the server to what stands behind an object. */
export function proxySubresource(kind: string, connect: (request: ResourceRequest) => Promise<Answer>): Subresource {
  return { kind: { group: '', version: 'v1', kind }, connectMethods: methods, verbs: { connect } };
}
