import { type Authorizer, decodeObject, type ResourceRequest, type Subresource } from '@tsukube/apiserver';
import { FieldErrors, path as fieldPath, type KubeObject, objectIn, objectsIn, StatusError, textIn } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { proxyNotImplemented, splitSchemeNamePort } from '../../common/proxy-subresource.ts';

/** Subresources served by the kubelet. Requests are validated and the node is resolved, but nothing is proxied yet. */
export function kubeletSubresources(authorizer: Authorizer): Readonly<Record<string, Subresource>> {
  const streams = (kind: string, inContainer: boolean) =>
    connection(kind, ['get', 'post'], async (request) => {
      await requireCreate(request, authorizer);
      return stream(request, inContainer);
    });
  return {
    attach: streams('PodAttachOptions', true),
    exec: streams('PodExecOptions', true),
    portforward: streams('PodPortForwardOptions', false),
    proxy: connection('PodProxyOptions', ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'], proxy),
    log: { verbs: { get: log } },
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

type Connect = (request: ResourceRequest) => Promise<Answer>;

function connection(kind: string, connectMethods: readonly string[], connect: Connect): Subresource {
  return { kind: { group: '', version: 'v1', kind }, verbs: { connect }, connectMethods };
}

async function stream(request: ResourceRequest, inContainer: boolean): Promise<never> {
  const pod = await podOf(request);
  if (inContainer) containerOf(pod, request.query.get('container') ?? '');
  const host = hostOf(pod);
  if (host === '') throw StatusError.badRequest(`pod ${request.info.name} does not have a host assigned`);
  await checkNode(request, host);
  if (request.exchange.header('upgrade') === undefined) throw StatusError.badRequest('Upgrade request required');
  throw proxyNotImplemented(request, 'the node of the pod');
}

async function proxy(request: ResourceRequest): Promise<never> {
  const pod = await podOf(request, splitSchemeNamePort(request.info.name).name);
  if (textIn(objectIn(pod, 'status'), 'podIP') === '') throw StatusError.badRequest('address not allowed');
  throw proxyNotImplemented(request, 'the pod');
}

async function log(request: ResourceRequest): Promise<Answer> {
  checkLogOptions(request);
  const pod = await podOf(request);
  containerOf(pod, request.query.get('container') ?? '');
  const host = hostOf(pod);
  // Not scheduled yet, so there are no logs.
  if (host === '') return { kind: 'bytes', status: 204, type: 'text/plain', body: '' };
  await checkNode(request, host);
  throw proxyNotImplemented(request, 'the node of the pod');
}

/** Minimum of each option. */
const limits = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 };

function checkLogOptions({ query, info }: ResourceRequest): void {
  const errors = new FieldErrors();
  for (const [option, least] of Object.entries(limits)) {
    const text = query.get(option);
    if (text === null || text === '') continue;
    if (!/^[+-]?\d+$/.test(text))
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    const rule = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
    if (Number(text) < least) errors.invalid(fieldPath(option), Number(text), rule);
  }
  // The feature gate PodLogsQuerySplitStreams is off.
  if (query.has('stream')) errors.forbidden(fieldPath('stream'), 'may not be specified');
  if (errors.length > 0) throw StatusError.invalid({ group: '', kind: 'PodLogOptions' }, info.name, errors);
}

/** The pod of the request. Throws 404. */
async function podOf(request: ResourceRequest, name = request.info.name): Promise<KubeObject> {
  const { objects, info } = request;
  const entry = await objects.cache.get(objects.key(info.namespace, name));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'pods' }, name);
  return decodeObject(entry.value);
}

/** In Kubernetes' order. */
const containerLists = ['initContainers', 'containers', 'ephemeralContainers'];

/** The requested container; the only one if none is requested. Throws 400. */
function containerOf(pod: KubeObject, asked: string): string {
  const spec = objectIn(pod, 'spec');
  const podName = textIn(objectIn(pod, 'metadata'), 'name');
  const names = containerLists.flatMap((field) => objectsIn(spec, field).map((container) => textIn(container, 'name')));
  if (asked !== '') {
    if (names.includes(asked)) return asked;
    throw StatusError.badRequest(`container ${asked} is not valid for pod ${podName}`);
  }
  const [only, another] = objectsIn(spec, 'containers');
  if (only && !another) return textIn(only, 'name');
  throw StatusError.badRequest(`a container name must be specified for pod ${podName}, choose one of: [${names.join(' ')}]`);
}

function hostOf(pod: KubeObject): string {
  return textIn(objectIn(pod, 'spec'), 'nodeName');
}

/** Throws 404 if the node does not exist. As in Kubernetes the message names the resource `pods`. */
async function checkNode({ objectsOf }: ResourceRequest, name: string): Promise<void> {
  const nodes = objectsOf('', 'nodes');
  if (!(await nodes?.cache.get(nodes.key('', name)))) throw StatusError.notFound({ group: '', resource: 'pods' }, name);
}
