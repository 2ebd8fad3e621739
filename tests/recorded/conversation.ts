import { setTimeout } from 'node:timers/promises';
import type { Any, Client, Reply } from '../support/client.ts';
import { until } from '../support/definitions.ts';

/** Method, path, body and headers; NS stands for the namespace. */
export type Request = readonly [string, string, unknown?, Record<string, string>?];
/** A function gets the earlier responses. */
export type Step = Request | ((answers: readonly Any[]) => Request) | Wait | Settle;
/** Polls without recording anything. */
export interface Wait {
  readonly until: string;
  readonly holds: (body: Any) => boolean;
}
/** Gives the informers of kube-apiserver time to see the last write, while its responses are recorded. */
export interface Settle {
  readonly settleMs: number;
}
export type Conversations = Readonly<Record<string, readonly Step[]>>;

export interface RecordedAnswer {
  readonly status: number;
  readonly warning?: string;
  /** The media type, if it is not JSON. */
  readonly type?: string;
  readonly body: Any;
}

/** Values of this run, by the tokens that replace them in requests and responses. */
export type StandIns = Readonly<Record<string, string>>;

/** Runs a conversation in a new namespace. Values that change from run to run are replaced by tokens. */
export async function hold(
  client: Pick<Client, 'send'>,
  namespace: string,
  steps: readonly Step[],
  standIns: StandIns = {},
): Promise<RecordedAnswer[]> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const uids = new Map<string, string>();
  const bodies: Any[] = [];
  const answers: RecordedAnswer[] = [];
  for (const step of steps) {
    if ('settleMs' in step) {
      if (process.env.RECORD_FROM !== undefined) await setTimeout(step.settleMs);
      continue;
    }
    if ('until' in step) {
      await until(async () => holds(step, await client.send('GET', step.until.replaceAll('NS', namespace))));
      continue;
    }
    const [method, path, sent, headers] = typeof step === 'function' ? step(bodies) : step;
    const asked = headers && JSON.parse(inNamespace(headers, namespace) as string);
    const content = inNamespace(sent, namespace, standIns);
    const reply = await client.send(method, path.replaceAll('NS', namespace), content, asked);
    const body = bodyOf(reply);
    bodies.push(body);
    const { warning, 'content-type': type } = reply.headers as { warning?: string; 'content-type'?: string };
    const isJson = type === 'application/json';
    const answer = { status: reply.status, ...(warning !== undefined && { warning }), ...(!isJson && { type }), body };
    const text = JSON.stringify(answer, (key, value) => token(key, value, namespace, uids, standIns));
    answers.push(JSON.parse(withUidsInKeys(text, uids)) as RecordedAnswer);
  }
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return answers;
}

/** The body parsed if it is JSON, otherwise as text. */
function bodyOf({ text, headers }: Reply): Any {
  return headers['content-type'] === 'application/json' ? JSON.parse(text) : text;
}

function holds({ holds }: Wait, { status, text }: Reply): boolean {
  return status === 200 && holds(JSON.parse(text));
}

function inNamespace(body: unknown, namespace: string, standIns: StandIns = {}): unknown {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.entries(standIns).reduce(
    (filled, [token, value]) => filled.replaceAll(token, value),
    text.replace(/\bNS\b/g, namespace),
  );
}

/** Sorts managedFields: they are ordered by time, and two entries may have the same second. */
export function inOrderOfManagers({ body, ...answer }: RecordedAnswer): RecordedAnswer {
  if (body?.details?.causes?.[0]?.reason === 'FieldManagerConflict') return { ...answer, body: inOrderOfConflicts(body) };
  const entries = body?.metadata?.managedFields;
  if (!Array.isArray(entries)) return { ...answer, body };
  const text = ({ manager, operation, apiVersion, subresource, time }: Any) =>
    JSON.stringify([operation, manager, apiVersion, subresource, time === undefined]);
  const managedFields = [...entries].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...answer, body: { ...body, metadata: { ...body.metadata, managedFields } } };
}

/** Sorts conflicts by manager: Kubernetes lists managers in random order. */
function inOrderOfConflicts(body: Any): Any {
  const causes = [...body.details.causes].sort((a, b) => (a.message < b.message ? -1 : a.message > b.message ? 1 : 0));
  return { ...body, details: { ...body.details, causes } };
}

const uidForm = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

/** Replaces uids in the keys of managedFields. */
function withUidsInKeys(text: string, uids: ReadonlyMap<string, string>): string {
  return text.replace(uidForm, (uid) => uids.get(uid) ?? uid);
}

function token(key: string, value: unknown, namespace: string, uids: Map<string, string>, standIns: StandIns): unknown {
  if (typeof value !== 'string') return value;
  if (key === 'resourceVersion') return '<version>';
  if (key === 'storageVersionHash') return '<hash>';
  return Object.entries(standIns)
    .reduce((text, [name, real]) => text.replaceAll(real, name), value)
    .replaceAll(namespace, '<namespace>')
    .replace(uidForm, (uid) => {
      uids.set(uid, uids.get(uid) ?? `<uid${uids.size}>`);
      return uids.get(uid) as string;
    })
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
    .replace(/(resourceVersion\\?"?:\\?"?)\d+/g, '$1<version>');
}
