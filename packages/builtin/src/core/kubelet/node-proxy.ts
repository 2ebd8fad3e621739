import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { ResourceRequest, Subresource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { isGlobalUnicast, proxySubresource, proxyTo, splitSchemeNamePort } from '../../common/proxy-subresource.ts';
import { type KubeletClientConfig, kubeletConnectionInfo } from './connection.ts';

/** The `proxy` subresource of nodes: the kubelet, or another port of the node. */
export function nodeProxy(client: KubeletClientConfig): Subresource {
  return proxySubresource('NodeProxyOptions', (request) => proxyToNode(request, client));
}

async function proxyToNode(request: ResourceRequest, client: KubeletClientConfig): Promise<Answer> {
  const { scheme, name, port } = splitSchemeNamePort(request.info.name, 'node');
  const kubelet = await kubeletConnectionInfo(request, name, client);
  const { host } = kubelet;
  await requireGlobal(host);
  if (port === '' || port === kubelet.port)
    return proxyTo(request, { scheme: 'https', host, port: kubelet.port, tls: client.tls() });
  return proxyTo(request, { scheme: scheme || 'http', host, port });
}

/** Throws 400 if the name does not resolve, or to an address that proxies must not connect to. */
async function requireGlobal(host: string): Promise<void> {
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host];
  if (!addresses.every(isGlobalUnicast)) throw StatusError.badRequest('address not allowed');
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    throw StatusError.badRequest(`lookup ${host}: no such host`);
  }
}
