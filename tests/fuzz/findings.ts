import { complaintAbout } from '../hostile/fuzz/oracle.ts';
import type { Answered } from './clients.ts';
import type { FuzzRequest } from './requests.ts';

/** Server errors that kube-apiserver returns as well, by message. */
const explained: readonly (readonly [RegExp, string])[] = [
  [/failed to create typed (patch|live) object/, 'apply: the object does not fit the schema of its kind'],
  [/^\.[\w.[\]]+: expected \w+, got /, 'apply: the stored object does not fit the schema of its kind'],
  [/failed to convert new object .* to proper version/, 'apply: a value that its type cannot be read from'],
  [
    /expected a (\[\]|map\[string\])interface \{\}, but received|data type is not struct/,
    'strategic patch: a value of another type',
  ],
  [
    /list element types are not identical|The order in patch list|expected slice or array type/,
    'strategic patch: lists that cannot be merged',
  ],
  [
    /merging lists cannot yet be specified in the patch|cannot merge lists without merge key/,
    'strategic patch: lists that cannot be merged',
  ],
  [/unable to find api field in struct|does not contain declared merge key/, 'strategic patch: a field that cannot be merged'],
  [/unknown patch type: /, 'strategic patch: a directive that does not exist'],
  [/Too large resource version/, 'a read at a version that is not reached in time'],
  [/strconv\.ParseUint: parsing/, 'a resourceVersion that is no number'],
  [/resourceVersion should not be set on objects to be created/, 'a resourceVersion on create'],
  [/the spec replicas field .* does not exist/, 'scale of a custom resource without replicas'],
  [/target\.(name|kind): /, 'a binding without a target, or to something that is no node'],
];

/** Quoted and bracketed parts of messages, which differ each time. */
const particulars: readonly (readonly [RegExp, string])[] = [
  [/"[^"]*"/g, '"…"'],
  [/map\[.*/g, 'map[…'],
  [/\d+/g, 'N'],
];

interface Finding {
  readonly what: string;
  readonly explanation: string | undefined;
  readonly example: string;
  count: number;
}

const maxFindings = 500;
const exampleBytes = 3_000;

/** Collects responses with server errors or malformed bodies. */
export class Findings {
  requests = 0;
  readonly statuses = new Map<number, number>();
  readonly #found = new Map<string, Finding>();

  /** Checks a response. */
  note(request: FuzzRequest, answer: Answered): void {
    this.requests++;
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status >= 500) this.#failure(request, answer);
    const complaint = formComplaint(answer);
    if (complaint !== undefined) this.add(`${complaint} (${request.about})`, exampleOf(request, answer));
  }

  /** Records a finding. */
  add(what: string, example: string, explanation?: string): void {
    const found = this.#found.get(what);
    if (found) found.count++;
    else if (this.#found.size < maxFindings) this.#found.set(what, { what, explanation, example, count: 1 });
  }

  #failure(request: FuzzRequest, answer: Answered): void {
    const message = messageOf(answer);
    const explanation = explained.find(([pattern]) => pattern.test(message))?.[1];
    const what = explanation === undefined ? `${withoutParticulars(message)} (${request.about})` : explanation;
    this.add(`${answer.status} ${what}`, exampleOf(request, answer), explanation);
  }

  get unexplained(): string[] {
    return [...this.#found.values()]
      .filter(({ explanation }) => !explanation)
      .map(({ what, count, example }) => `${count}× ${what}\n    ${example}`);
  }

  get listed(): string[] {
    return [...this.#found.values()].map(
      ({ what, count, explanation }) => `${count}× ${what}${explanation ? '' : ': UNEXPLAINED'}`,
    );
  }

  get summary(): string {
    const by = [...this.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}×${count}`);
    return `${this.requests} requests, answers ${by.join(' ')}`;
  }
}

/** The message of a Status, or the raw text in encodings that are not parsed here. */
function messageOf({ type, body }: Answered): string {
  const text = body.toString('utf8').replaceAll(/\s+/g, ' ');
  try {
    return type.startsWith('application/json') ? String(JSON.parse(text).message) : text;
  } catch {
    return text;
  }
}

/** The reason why a body does not match its content type, if it does not. */
function formComplaint({ status, type, body }: Answered): string | undefined {
  if (type.startsWith('application/vnd.kubernetes.protobuf')) return protobufComplaint(type, body);
  if (status >= 400 && status < 500) return complaintAbout({ status, type, body: body.toString('utf8'), comparable: true });
  if (!type.startsWith('application/json') || type.includes('stream') || body.length === 0) return undefined;
  return jsonComplaint(body);
}

function protobufComplaint(type: string, body: Buffer): string | undefined {
  if (type.includes('stream=watch')) return undefined;
  return body.subarray(0, 4).toString('latin1') === 'k8s\0' ? undefined : 'protobuf without its prefix';
}

/** Checks a JSON object, or a stream of watch events. */
function jsonComplaint(body: Buffer): string | undefined {
  const text = body.toString('utf8');
  try {
    const { kind, apiVersion, type } = JSON.parse(text);
    const isObject = typeof kind === 'string' && typeof apiVersion === 'string';
    return isObject || typeof type === 'string' ? undefined : 'JSON without a kind';
  } catch {
    return areEvents(text) ? undefined : 'JSON that is none';
  }
}

function areEvents(text: string): boolean {
  try {
    return text.split('\n').every((line) => line === '' || typeof JSON.parse(line).type === 'string');
  } catch {
    return false;
  }
}

function exampleOf({ method, path, headers, body }: FuzzRequest, answer: Answered): string {
  const sent =
    body === undefined
      ? ''
      : body.toString(headers['content-type']?.includes('protobuf') ? 'base64' : 'utf8').slice(0, exampleBytes);
  return `${method} ${path} ${JSON.stringify(headers)} ${sent} → ${answer.status} ${answer.body.toString('utf8').slice(0, 500)}`;
}

/** Makes the messages of the same error for different objects equal. */
function withoutParticulars(message: string): string {
  return particulars.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), message).slice(0, 200);
}
