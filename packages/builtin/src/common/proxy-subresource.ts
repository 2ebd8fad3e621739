import type { ResourceRequest, Subresource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';

/** Splits `name`, `name:port` or `scheme:name:port`. */
export function splitSchemeNamePort(text: string): { readonly name: string; readonly port: string } {
  const parts = text.split(':');
  const [name = '', port = ''] = parts.length > 2 ? parts.slice(1) : parts;
  return { name, port };
}

/** 501: the backend was resolved, but this server does not proxy to it. */
export function proxyNotImplemented({ info }: ResourceRequest, what: string): StatusError {
  const { resource, name, subresource } = info;
  const message = `${resource} ${JSON.stringify(name)}: ${subresource} needs a connection to ${what}, which this server does not make`;
  return new StatusError({ status: 'Failure', message, code: 501 });
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** The `proxy` subresource of a kind. */
export function proxySubresource(kind: string, connect: (request: ResourceRequest) => Promise<Answer>): Subresource {
  return { kind: { group: '', version: 'v1', kind }, connectMethods: methods, verbs: { connect } };
}
