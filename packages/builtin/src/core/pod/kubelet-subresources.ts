import {
  type Authorizer,
  type Backend,
  connectSubresource,
  escapedPath,
  isTrue,
  isUpgradeRequest,
  offeredProtocols,
  proxyUpgrade,
  type ResourceRequest,
  type StreamSelection,
  type Subresource,
  streamCloseProtocol,
  translateStreams,
  tunneledProtocols,
  tunnelSpdy,
} from '@tsukube/apiserver';
import { type KubeObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import {
  connectOptions,
  isGlobalUnicast,
  proxySubresource,
  proxyTo,
  splitSchemeNamePort,
} from '../../common/proxy-subresource.ts';
import { type KubeletClientConfig, kubeletConnectionInfo } from '../kubelet/connection.ts';
import { logSubresource } from './log.ts';
import { containerOf, hostOf, podOf } from './target.ts';

/** The subresources that need a kubelet, or the network of pods. */
export function kubeletSubresources(authorizer: Authorizer, client: KubeletClientConfig): Readonly<Record<string, Subresource>> {
  const streams = (kind: string, action: string) =>
    connectSubresource(connectOptions(kind), ['get', 'post'], async (request) => {
      await requireCreate(request, authorizer);
      return stream(request, action, client);
    });
  return {
    attach: streams('PodAttachOptions', 'attach'),
    exec: streams('PodExecOptions', 'exec'),
    portforward: streams('PodPortForwardOptions', 'portForward'),
    proxy: proxySubresource('PodProxyOptions', proxyToPod),
    log: logSubresource(client),
  };
}

/** WebSocket requests are GETs; `create` is required for them as well. */
async function requireCreate(request: ResourceRequest, authorizer: Authorizer): Promise<void> {
  const { user, info, path } = request;
  if (info.verb === 'create') return;
  const { group, version, resource, subresource, namespace, name } = info;
  const access = { user, verb: 'create', isResource: true, group, version, resource, subresource, namespace, name, path };
  const { decision, reason, error } = await authorizer.authorize(access);
  if (decision === 'allow') return;
  if (error !== undefined) throw new Error(error);
  throw StatusError.forbidden({ group, resource }, name, reason);
}

async function stream(request: ResourceRequest, action: string, client: KubeletClientConfig): Promise<Answer> {
  const { info, query } = request;
  const pod = await podOf(request, info.name);
  const container = action === 'portForward' ? '' : `/${containerOf(pod, query.get('container') ?? '')}`;
  const node = hostOf(pod);
  if (node === '') throw StatusError.badRequest(`pod ${info.name} does not have a host assigned`);
  const { host, port, features } = await kubeletConnectionInfo(request, node, client);
  if (!isUpgradeRequest(request)) throw StatusError.badRequest('Upgrade request required');
  const path = escapedPath(`/${action}/${info.namespace}/${info.name}${container}`);
  const options = action === 'portForward' ? portOptions(query) : streamOptions(query, action === 'exec');
  const target = options === '' ? path : `${path}?${options}`;
  const backend: Backend = { scheme: 'https', host, port, tls: client.tls() };
  const translates = !features.includes(webSocketFeature);
  const metrics = client.metrics();
  metrics?.routed(info.subresource, translates);
  if (translates && action === 'portForward' && tunneledProtocols(request.exchange).length > 0)
    return tunnelSpdy(request, backend, target, (code) => metrics?.tunneled(code));
  if (translates && action !== 'portForward' && offeredProtocols(request.exchange).includes(streamCloseProtocol))
    return translateStreams(request, {
      backend,
      target,
      streams: selectionOf(query),
      onDone: (code) => metrics?.translated(code),
    });
  return proxyUpgrade(request, backend, target);
}

/** Kubelets that declare this feature understand the WebSockets of clients. */
const webSocketFeature = 'ExtendWebSocketsToKubelet';

function selectionOf(query: URLSearchParams): StreamSelection {
  const has = (name: string) => isTrue(query.get(name));
  return { stdin: has('stdin'), stdout: has('stdout'), stderr: has('stderr'), tty: has('tty') };
}

/** The options that a kubelet understands, in the order of Go's url.Values. */
function streamOptions(query: URLSearchParams, withCommand: boolean): string {
  const options = new URLSearchParams();
  if (withCommand) for (const word of query.getAll('command')) options.append('command', word);
  // The names of the kubelet's API differ from those of the options.
  if (isTrue(query.get('stderr'))) options.append('error', '1');
  if (isTrue(query.get('stdin'))) options.append('input', '1');
  if (isTrue(query.get('stdout'))) options.append('output', '1');
  if (isTrue(query.get('tty'))) options.append('tty', '1');
  return options.toString();
}

function portOptions(query: URLSearchParams): string {
  const ports = query.getAll('ports');
  return ports.length === 0 ? '' : new URLSearchParams({ port: ports.join(',') }).toString();
}

async function proxyToPod(request: ResourceRequest): Promise<Answer> {
  const { scheme, name, port } = splitSchemeNamePort(request.info.name, 'pod');
  const pod = await podOf(request, name);
  const ip = podIPOf(pod);
  if (!isGlobalUnicast(ip)) throw StatusError.badRequest('address not allowed');
  return proxyTo(request, { scheme: scheme || 'http', host: ip, port: port || firstPortOf(pod) });
}

function podIPOf(pod: KubeObject): string {
  const [first] = objectsIn(objectIn(pod, 'status'), 'podIPs');
  return first ? textIn(first, 'ip') : '';
}

/** The first port of the first container that has any. */
function firstPortOf(pod: KubeObject): string {
  for (const container of objectsIn(objectIn(pod, 'spec'), 'containers')) {
    const [port] = objectsIn(container, 'ports');
    if (port) return String(port.containerPort);
  }
  return '';
}
