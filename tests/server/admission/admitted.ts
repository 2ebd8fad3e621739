import type { Any, Client, Reply } from '../../support/client.ts';
import type { AdmittedRequest } from './requests.ts';

/** A call of admission: the fields of an AdmissionRequest that describe the write. Absent fields are null or empty in AdmissionReviews. */
export interface AdmittedCall {
  readonly phase: 'mutate' | 'validate';
  readonly operation: string;
  /** group/version/Kind */
  readonly kind: string;
  /** group/version/resource/subresource */
  readonly resource: string;
  readonly name: string;
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly options?: Any;
  readonly object?: Any;
  readonly oldObject?: Any;
}

/** The response of a request and the calls of admission that it caused. */
export interface AdmittedExchange {
  readonly request: string;
  readonly status: number;
  readonly calls: readonly AdmittedCall[];
}

/** Sends the requests one after the other. `taken` returns and forgets the calls of admission so far. */
export async function converse(
  client: Pick<Client, 'send'>,
  namespace: string,
  requests: readonly AdmittedRequest[],
  taken: () => readonly AdmittedCall[],
): Promise<AdmittedExchange[]> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  taken();
  const normalized = normalizer(namespace);
  const exchanges: AdmittedExchange[] = [];
  let version = '';
  for (const [method, path, body, headers] of requests) {
    const text =
      body &&
      JSON.stringify(body)
        .replace(/\bNS\b/g, namespace)
        .replaceAll('"VERSION"', JSON.stringify(version));
    const reply = await client.send(method, path.replace(/\bNS\b/g, namespace), text, headers);
    version = versionIn(reply) ?? version;
    const calls = inOrder(withoutRepetitions(taken())).map(normalized);
    exchanges.push({ request: `${method} ${path}`, status: reply.status, calls });
  }
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return exchanges;
}

function versionIn({ headers, text }: Reply): string | undefined {
  return headers['content-type'] === 'application/json' ? JSON.parse(text).metadata?.resourceVersion : undefined;
}

/** kube-apiserver deletes in two steps, marking and removing, and admits both. */
function withoutRepetitions(calls: readonly AdmittedCall[]): readonly AdmittedCall[] {
  const seen = new Set<string>();
  return calls.filter(({ phase, operation, oldObject }) => {
    const key = `${phase} ${oldObject?.metadata?.uid}`;
    return operation !== 'DELETE' || (!seen.has(key) && seen.add(key));
  });
}

/** The items of a collection are deleted concurrently. */
function inOrder(calls: readonly AdmittedCall[]): readonly AdmittedCall[] {
  const nameOf = ({ oldObject }: AdmittedCall) => String(oldObject?.metadata?.name);
  const isCollection = calls.every(({ operation, name }) => operation === 'DELETE' && name === '');
  return isCollection ? [...calls].sort((a, b) => nameOf(a).localeCompare(nameOf(b))) : calls;
}

/** Replaces values that differ from run to run by tokens. */
function normalizer(namespace: string): (call: AdmittedCall) => AdmittedCall {
  const uids = new Map<string, string>();
  const uidToken = (uid: string) => {
    const token = uids.get(uid) ?? `UID${uids.size + 1}`;
    uids.set(uid, token);
    return token;
  };
  const replace = (key: string, value: unknown): unknown => {
    if (key === 'managedFields') return (value as Any[]).map(summary).sort();
    if (key === 'resourceVersion' && value !== '1') return 'VERSION';
    if (typeof value !== 'string') return value;
    return value
      .replaceAll(namespace, 'NS')
      .replace(/\bg-[a-z0-9]{5}$/, 'g-RANDOM')
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, uidToken)
      .replace(/SHA256=\w+$/, 'SHA256=HASH')
      .replace(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'TIME');
  };
  return (call) => sorted(JSON.parse(JSON.stringify(call, replace)));
}

function summary({ manager, operation, apiVersion, subresource = '', fieldsV1 }: Any): string {
  return `${manager} ${operation} ${apiVersion} ${subresource} ${JSON.stringify(sorted(fieldsV1))}`;
}

function sorted(value: Any): Any {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}
