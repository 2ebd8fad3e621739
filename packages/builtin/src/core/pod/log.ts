import { escapedPath, isTrue, type ResourceRequest, type Subresource, streamFrom } from '@tsukube/apiserver';
import { FieldErrors, path as fieldPath, GoTimeError, parseGoTime, rfc3339, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { type KubeletClientConfig, kubeletConnectionInfo } from '../kubelet/connection.ts';
import { containerOf, hostOf, podOf } from './target.ts';

/** The logs of a container, from its kubelet. */
export function logSubresource(client: KubeletClientConfig): Subresource {
  return { verbs: { get: (request) => log(request, client) } };
}

async function log(request: ResourceRequest, client: KubeletClientConfig): Promise<Answer> {
  const { info, query } = request;
  const options = logOptions(request);
  const skipsVerification = isTrue(query.get('insecureSkipTLSVerifyBackend'));
  client.metrics()?.logRequested(!skipsVerification);
  const pod = await podOf(request, info.name);
  const container = containerOf(pod, query.get('container') ?? '');
  const node = hostOf(pod);
  // Not scheduled yet, so there are no logs.
  if (node === '') return { kind: 'bytes', status: 204, type: 'text/plain', body: '' };
  const { host, port } = await kubeletConnectionInfo(request, node, client);
  const { ca, ...identity } = client.tls();
  const path = escapedPath(`/containerLogs/${info.namespace}/${info.name}/${container}`);
  return streamFrom(request, {
    backend: { scheme: 'https', host, port, tls: skipsVerification ? identity : { ...identity, ca } },
    target: options === '' ? path : `${path}?${options}`,
    resource: 'pods/log',
    onUntrusted: () => client.metrics()?.untrusted(),
  });
}

/** Minimum of each option. */
const limits = { tailLines: 0, limitBytes: 1, sinceSeconds: 1 };

/** The query for the kubelet, in the order of Go's url.Values. */
function logOptions(request: ResourceRequest): string {
  const { query } = request;
  const numbers = Object.keys(limits).map((option) => [option, integerIn(query, option)] as const);
  const since = timeIn(query.get('sinceTime'));
  check(request, Object.fromEntries(numbers), since);
  const switches = ['follow', 'previous', 'timestamps'].filter((option) => isTrue(query.get(option)));
  const options = [
    ...switches.map((option) => [option, 'true']),
    ...numbers.flatMap(([option, value]) => (value === undefined ? [] : [[option, String(value)]])),
    ...(since === undefined ? [] : [['sinceTime', since]]),
  ] as [string, string][];
  return new URLSearchParams(options.sort(([a], [b]) => (a < b ? -1 : 1))).toString();
}

function check({ query, info }: ResourceRequest, numbers: Readonly<Record<string, bigint | undefined>>, since?: string): void {
  const errors = new FieldErrors();
  const isEitherOr = numbers.sinceSeconds !== undefined && since !== undefined;
  for (const [option, least] of Object.entries(limits)) {
    const value = numbers[option];
    if (option === 'sinceSeconds' && isEitherOr)
      errors.forbidden(fieldPath('[]'), 'at most one of `sinceTime` or `sinceSeconds` may be specified');
    else if (value !== undefined && value < least)
      errors.invalid(
        fieldPath(option),
        Number(value),
        least === 0 ? 'must be greater than or equal to 0' : 'must be greater than 0',
      );
  }
  // The feature gate PodLogsQuerySplitStreams is off.
  if (query.has('stream')) errors.forbidden(fieldPath('stream'), 'may not be specified');
  if (errors.length > 0) throw StatusError.invalid({ group: '', kind: 'PodLogOptions' }, info.name, errors);
}

const maxInteger = 2n ** 63n - 1n;

function integerIn(query: URLSearchParams, option: string): bigint | undefined {
  const text = query.get(option);
  if (text === null || text === '') return undefined;
  const value = /^[+-]?\d{1,40}$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value !== undefined && value <= maxInteger && value >= -maxInteger - 1n) return value;
  const problem = value === undefined ? 'invalid syntax' : 'value out of range';
  throw StatusError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`);
}

/** Seconds are precise enough for kubelets. */
function timeIn(text: string | null): string | undefined {
  if (text === null || text === '' || text === 'null') return undefined;
  try {
    const { seconds } = parseGoTime(text, rfc3339);
    return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
  } catch (error) {
    if (error instanceof GoTimeError) throw StatusError.badRequest(error.message);
    throw error;
  }
}
