import type { Any, Client } from '../support/client.ts';

/** method, path with NS for the namespace, body, headers */
export type Request = readonly [string, string, unknown?, Record<string, string>?];
/** What was answered before is there for what depends on it. */
export type Step = Request | ((answers: readonly Any[]) => Request);
export type Conversations = Readonly<Record<string, readonly Step[]>>;

export interface RecordedAnswer {
  readonly status: number;
  readonly warning?: string;
  readonly body: Any;
}

/** Holds a conversation in a namespace of its own. What differs from time to time is replaced by tokens. */
export async function hold(client: Pick<Client, 'send'>, namespace: string, steps: readonly Step[]): Promise<RecordedAnswer[]> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const uids = new Map<string, string>();
  const bodies: Any[] = [];
  const answers: RecordedAnswer[] = [];
  for (const step of steps) {
    const [method, path, body, headers] = typeof step === 'function' ? step(bodies) : step;
    const reply = await client.send(method, path.replaceAll('NS', namespace), body, headers);
    bodies.push(reply.body);
    const { warning } = reply.headers as { warning?: string };
    const answer = { status: reply.status, ...(warning !== undefined && { warning }), body: reply.body };
    answers.push(JSON.parse(JSON.stringify(answer, (key, value) => token(key, value, namespace, uids))) as RecordedAnswer);
  }
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return answers;
}

/** Entries are written in the order of their times, and whether two are of the same second is a matter of chance. */
export function inOrderOfManagers({ body, ...answer }: RecordedAnswer): RecordedAnswer {
  const entries = body?.metadata?.managedFields;
  if (!Array.isArray(entries)) return { ...answer, body };
  const text = ({ manager, operation, apiVersion, subresource, time }: Any) =>
    JSON.stringify([operation, manager, apiVersion, subresource, time === undefined]);
  const managedFields = [...entries].sort((a, b) => (text(a) < text(b) ? -1 : 1));
  return { ...answer, body: { ...body, metadata: { ...body.metadata, managedFields } } };
}

function token(key: string, value: unknown, namespace: string, uids: Map<string, string>): unknown {
  if (typeof value !== 'string') return value;
  if (key === 'resourceVersion') return '<version>';
  return value
    .replaceAll(namespace, '<namespace>')
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, (uid) => {
      uids.set(uid, uids.get(uid) ?? `<uid${uids.size}>`);
      return uids.get(uid) as string;
    })
    .replace(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
    .replace(/(resourceVersion\\?"?:\\?"?)\d+/g, '$1<version>');
}
