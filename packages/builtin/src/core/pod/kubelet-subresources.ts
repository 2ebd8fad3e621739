import type { Answer, ResourceRequest, Subresource } from '@tsukube/apiserver';
import { FieldErrors, path, StatusError } from '@tsukube/machinery';
import { notReachable, splitName } from '../../proxied.ts';
import { objectIn, textIn } from '../pod-spec/members.ts';
import { checkNode, containerOf, hostOf, podOf } from './pod-location.ts';

/** What only the node of a pod can answer. Nodes are not called from here; all that can be said before is said. */
export const kubeletSubresources: Readonly<Record<string, Subresource>> = {
  attach: connection('PodAttachOptions', ['get', 'post'], (request) => stream(request, true)),
  exec: connection('PodExecOptions', ['get', 'post'], (request) => stream(request, true)),
  portforward: connection('PodPortForwardOptions', ['get', 'post'], (request) => stream(request, false)),
  proxy: connection('PodProxyOptions', ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'], proxy),
  log: { verbs: { get: log } },
};

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
  throw notReachable(request, 'the node of the pod');
}

async function proxy(request: ResourceRequest): Promise<never> {
  const pod = await podOf(request, splitName(request.info.name).name);
  if (textIn(objectIn(pod, 'status'), 'podIP') === '') throw StatusError.badRequest('address not allowed');
  throw notReachable(request, 'the pod');
}

async function log(request: ResourceRequest): Promise<Answer> {
  checkLogOptions(request);
  const pod = await podOf(request);
  containerOf(pod, request.query.get('container') ?? '');
  const host = hostOf(pod);
  // Nothing has run, so nothing has been said.
  if (host === '') return { kind: 'bytes', status: 204, type: 'text/plain', body: '' };
  await checkNode(request, host);
  throw notReachable(request, 'the node of the pod');
}

/** Each with the least it may be. */
const limits = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 };

function checkLogOptions({ query, info }: ResourceRequest): void {
  const errors = new FieldErrors();
  for (const [option, least] of Object.entries(limits)) {
    const text = query.get(option);
    if (text === null || text === '') continue;
    if (!/^[+-]?\d+$/.test(text))
      throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    const rule = least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0';
    if (Number(text) < least) errors.invalid(path(option), Number(text), rule);
  }
  // The feature gate PodLogsQuerySplitStreams is off.
  if (query.has('stream')) errors.forbidden(path('stream'), 'may not be specified');
  if (errors.length > 0) throw StatusError.invalid({ group: '', kind: 'PodLogOptions' }, info.name, errors);
}
