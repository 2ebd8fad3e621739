import {
  decodeProtobuf,
  type NumberForm,
  type ParsedValue,
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

/** Reads the body of a request served on this thread. Rejects with HeavyBody if a worker thread is to serve the request instead. */
export async function lightBody(request: ResourceRequest): Promise<Buffer> {
  const body = await readRequestBody(request);
  if (!request.heavy) return body;
  if (request.heavy.isHeavyBody(body, request)) throw new HeavyBody(body);
  request.receivedBody = body;
  return body;
}

/** Rejects with 413, with 429 if the memory limit for bodies is reached, or with ClientGone. */
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

/** The media type of the body without parameters; the first accepted one if there is no Content-Type. Throws 415. */
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

/** The value of a body, as JSON. */
export interface ParsedBody {
  readonly value: ParsedValue;
  /** Errors for duplicate keys. */
  readonly duplicates: readonly string[];
  /** Whether it contains numbers whose spelling matters. */
  readonly hasNumberLiterals?: boolean;
}

/** Finds the type of a protobuf message by the type meta of its envelope. */
export type TypeOfMessage = (apiVersion: string, kind: string) => { readonly type: string; readonly catalogue: TypeCatalogue };

/** Throws, or rejects with, JsonSyntaxError, YamlSyntaxError or ProtobufError. */
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
  return { value: { ...value, kind, apiVersion }, duplicates: noDuplicates };
}

const noDuplicates: readonly string[] = [];
