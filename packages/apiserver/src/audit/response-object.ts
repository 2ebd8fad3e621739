import { pipeline, Readable, Transform } from 'node:stream';
import {
  decodeProtobuf,
  inFieldOrder,
  isObject,
  type JsonObject,
  parseJson,
  parseYaml,
  type Status,
  statusBody,
  stringifyJson,
  unwrapProtobuf,
} from '@tsukube/machinery';
import type { IncomingRequest } from '../http/api-request.ts';
import { protobuf } from '../http/negotiation.ts';
import type { ResourceRequest } from '../registry/resource-request.ts';
import { withoutManagedFields } from './request-object.ts';

/** A response object as JSON, and decoded if it is a Status. */
export interface ResponseObject {
  readonly json: string | undefined;
  readonly status: Status | undefined;
}

export interface ResponseObjectOptions {
  /** Whether the event contains the object; otherwise only a Status is decoded. */
  readonly object: boolean;
  readonly omitManagedFields: boolean;
}

const nothing: ResponseObject = { json: undefined, status: undefined };
const objectStart = /^\{\s*"kind":\s*"/;
const statusStart = /^\{\s*"kind":\s*"Status"/;

/** The API object in a complete response body. Other documents, such as metrics, give none. */
export function responseObjectOf(
  body: Buffer | string,
  type: string,
  request: IncomingRequest,
  options: ResponseObjectOptions,
): ResponseObject | Promise<ResponseObject> {
  if (type === 'application/json') return inJson(body, options);
  if (type === protobuf) return options.object && typeof body !== 'string' ? inProtobuf(body, request, options) : nothing;
  if (type === 'application/yaml' && options.object) return inYaml(body, request, options);
  return nothing;
}

/** The same for a Status that is already decoded. */
export function statusObjectOf(status: Status, options: ResponseObjectOptions): ResponseObject {
  return toResponseObject(statusBody(status), options);
}

function inJson(body: Buffer | string, options: ResponseObjectOptions): ResponseObject {
  const start = typeof body === 'string' ? body.slice(0, 64) : body.toString('latin1', 0, 64);
  const isStatus = statusStart.test(start);
  if (!objectStart.test(start) || !(options.object || isStatus)) return nothing;
  const isCompact = start.startsWith('{"kind":"');
  if (!isStatus && isCompact && !options.omitManagedFields) return { json: body.toString().trimEnd(), status: undefined };
  return toResponseObject(parseJson(typeof body === 'string' ? Buffer.from(body) : body).value as JsonObject, options);
}

async function inYaml(body: Buffer | string, request: IncomingRequest, options: ResponseObjectOptions): Promise<ResponseObject> {
  const { value } = await parseYaml(typeof body === 'string' ? Buffer.from(body) : body);
  if (!isObject(value) || typeof value.kind !== 'string') return nothing;
  const { resource, version } = request as Partial<ResourceRequest>;
  if (value.kind !== resource?.names.kind || !version || version.schema.form) return toResponseObject(value, options);
  return toResponseObject(inFieldOrder(value, version.schema.type, version.schema.catalogue), options);
}

function inProtobuf(body: Buffer, request: IncomingRequest, options: ResponseObjectOptions): ResponseObject {
  const { resource, version } = request as Partial<ResourceRequest>;
  if (!resource || !version) return nothing;
  try {
    const { apiVersion, kind, raw } = unwrapProtobuf(body);
    const { catalogue, type, listType } = version.schema;
    const name = new Map([
      [resource.names.kind, type],
      [resource.names.listKind, listType],
      ['Status', 'io.k8s.apimachinery.pkg.apis.meta.v1.Status'],
    ]).get(kind);
    if (name === undefined) return nothing;
    return toResponseObject({ kind, apiVersion, ...decodeProtobuf(raw, catalogue.get(name), catalogue) }, options);
  } catch {
    return nothing;
  }
}

function toResponseObject(object: JsonObject, options: ResponseObjectOptions): ResponseObject {
  const status = object.kind === 'Status' ? (object as unknown as Status) : undefined;
  if (!options.object) return { json: undefined, status };
  return { json: stringifyJson(options.omitManagedFields ? withoutManagedFields(object) : object), status };
}

type Pieces = Iterable<Uint8Array> | Readable;

/** Calls back once, at the end of the body or when the client is gone; with the whole body if `keep` is set. */
export function observedBody(pieces: Pieces, keep: boolean, whenOver: (whole: Buffer | undefined) => void): Pieces {
  return pieces instanceof Readable ? observedStream(pieces, keep, whenOver) : observedPieces(pieces, keep, whenOver);
}

function* observedPieces(
  pieces: Iterable<Uint8Array>,
  keep: boolean,
  whenOver: (whole: Buffer | undefined) => void,
): Generator<Uint8Array> {
  const kept: Uint8Array[] = [];
  let isWhole = false;
  try {
    for (const piece of pieces) {
      if (keep) kept.push(piece);
      yield piece;
    }
    isWhole = true;
  } finally {
    whenOver(keep && isWhole ? Buffer.concat(kept) : undefined);
  }
}

function observedStream(pieces: Readable, keep: boolean, whenOver: (whole: Buffer | undefined) => void): Readable {
  const kept: Uint8Array[] = [];
  const observing = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      if (keep) kept.push(piece);
      done(null, piece);
    },
  });
  return pipeline(pieces, observing, (error) => whenOver(keep && !error ? Buffer.concat(kept) : undefined));
}
