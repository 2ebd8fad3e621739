import {
  decodeProtobuf,
  type JsonValue,
  type NumberForm,
  parseJson,
  parseYaml,
  StatusError,
  type TypeCatalogue,
  unwrapProtobuf,
} from '@tsukube/machinery';
import { BodyTooLarge, NoRoomForBody } from '@tsukube/transport';
import type { ApiRequest } from '../../http/api-request.ts';
import { HeavyBody } from '../../offload/heavy-requests.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';

/** kube-apiserver's limit. */
export const maxBodyBytes = 3 * 1024 * 1024;

/** The body of a request that is served here. Fails with HeavyBody if that would take long; nothing may have been done before. */
export async function lightBody(request: ResourceRequest): Promise<Buffer> {
  const body = await readRequestBody(request);
  if (!request.heavy) return body;
  if (request.heavy.isHeavyBody(body, request)) throw new HeavyBody(body);
  if (request.version.schema.form) request.receivedBody = body;
  return body;
}

/** Fails with 413, with 429 if there is no room for it now, or with ClientGone. */
export async function readRequestBody(request: ResourceRequest): Promise<Buffer> {
  try {
    const { exchange, memory, user } = request;
    const arriving = exchange.body(maxBodyBytes, memory?.admitting(exchange, user.name));
    const body = await (request.arrival ? request.arrival(arriving) : arriving);
    request.bodyBytes = body.length;
    return body;
  } catch (error) {
    if (error instanceof BodyTooLarge) throw StatusError.requestEntityTooLarge(`limit is ${error.limit}`);
    if (error instanceof NoRoomForBody) throw StatusError.tooManyRequests(noRoom, 1);
    throw error;
  }
}

const noRoom = 'the bodies of requests under way take all the memory there is for them, please try again later';

/** The media type of the body, without parameters. Fails with 415 if it is none of those accepted. */
export function bodyType<T extends string>(request: ApiRequest, accepted: readonly T[]): T {
  const header = request.exchange.header('content-type') ?? '';
  if (header === '') return accepted[0] as T;
  const mark = header.indexOf(';');
  const type = (mark < 0 ? header : header.slice(0, mark)).trim().toLowerCase();
  if (!accepted.includes(type as T)) throw StatusError.unsupportedMediaType(accepted);
  return type as T;
}

export const objectTypes = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;
export type ObjectType = (typeof objectTypes)[number];

/** The value in a body, in JSON's terms whatever it was written in. */
export interface ParsedBody {
  readonly value: JsonValue;
  /** Keys that were given more than once. */
  readonly duplicates: readonly string[];
  /** Whether there are numbers in it of which it matters how they are written. */
  readonly hasNumberLiterals?: boolean;
}

/** Which type the bytes of a protobuf message are of, by what their envelope says. */
export type TypeOfMessage = (apiVersion: string, kind: string) => { readonly type: string; readonly catalogue: TypeCatalogue };

/** Fails with JsonSyntaxError, YamlSyntaxError or ProtobufError. */
export function parseBody(
  body: Buffer,
  type: ObjectType,
  typeOf: TypeOfMessage,
  numbers: NumberForm = 'plain',
): ParsedBody | Promise<ParsedBody> {
  if (type === 'application/json') return parseJson(body, { numbers });
  if (type === 'application/yaml') return parseYaml(body);
  const { apiVersion, kind, raw } = unwrapProtobuf(body);
  const { type: name, catalogue } = typeOf(apiVersion, kind);
  const value = decodeProtobuf(raw, catalogue.get(name), catalogue);
  return { value: { ...value, kind, apiVersion }, duplicates: none };
}

const none: readonly string[] = [];
