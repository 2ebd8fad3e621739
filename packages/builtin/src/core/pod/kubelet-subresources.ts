import type { ResourceRequest, Subresource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';

/** What only the node of a pod can answer. */
export const kubeletSubresources: Readonly<Record<string, Subresource>> = {
  attach: connection('PodAttachOptions', ['get', 'post']),
  exec: connection('PodExecOptions', ['get', 'post']),
  portforward: connection('PodPortForwardOptions', ['get', 'post']),
  proxy: connection('PodProxyOptions', ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']),
  log: { verbs: { get: notReachable } },
};

function connection(kind: string, connectMethods: readonly string[]): Subresource {
  return { kind: { group: '', version: 'v1', kind }, verbs: { connect: notReachable }, connectMethods };
}

function notReachable({ info }: ResourceRequest): never {
  const message = `pods ${JSON.stringify(info.name)}: ${info.subresource} needs a connection to the node of the pod, which this server does not make`;
  throw new StatusError({ status: 'Failure', message, code: 501 });
}
