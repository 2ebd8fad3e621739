import { BoundedCache, StatusError } from '@tsukube/machinery';
import { type AcceptClause, acceptClauses, acceptsMediaType, isRouted, notRouted } from './accept.ts';
import type { ApiRequest, TypeReference } from './api-request.ts';

export type Representation = 'object' | 'table' | 'metadata';

/** The negotiated format of a response. */
export interface Output {
  readonly mediaType: MediaType;
  readonly as: Representation;
  /** PartialObjectMetadataList was requested. */
  readonly asList?: boolean;
  /** The version of meta.k8s.io for tables and partial metadata. */
  readonly metaVersion: 'v1' | 'v1beta1';
  readonly pretty: boolean;
}

export const protobuf = 'application/vnd.kubernetes.protobuf';
const documentTypes = ['application/json', 'application/yaml'] as const;
/** The media types of objects. */
export const mediaTypes = [...documentTypes, protobuf] as const;
const watchTypes = ['application/json;stream=watch', `${protobuf};stream=watch`];
export type MediaType = (typeof mediaTypes)[number];

/** Outputs by offer and Accept header; null if not acceptable. Clients send the same few headers, which are short. */
const outputs = new BoundedCache<string, Output | null>({ entries: 1000 });
const maxCachedLength = 512;

/**
 * The content to represent:
 * - `objects` of built-in kinds, also as Table and PartialObjectMetadata;
 * - `untyped`: custom objects, of which only the metadata can be protobuf;
 * - `messages`: a Status, a Scale and the like;
 * - `documents` without a protobuf form.
 */
type Offer = 'objects' | 'untyped' | 'messages' | 'documents';

/** For objects of the version a request is routed to. */
export function negotiateObjects(
  request: ApiRequest & { readonly version: { readonly schema: TypeReference } },
  stream = false,
): Output {
  return negotiate(request, request.version.schema.form ? 'untyped' : 'objects', stream);
}

/** Throws 406 if no accepted format is available. */
export function negotiate(request: ApiRequest, offer: Offer, stream = false): Output {
  const output = chosen(request, offer);
  if (output === null) throw notAcceptable(request, offer, stream);
  if (stream && output.mediaType === 'application/yaml') throw StatusError.notAcceptable(watchTypes);
  return wantsPretty(request) ? { ...output, pretty: true } : output;
}

/** The format of an error; indented JSON if no accepted format is available. */
export function negotiateFailure(request: ApiRequest): Output {
  const output = chosen(request, 'messages');
  return output === null || wantsPretty(request) ? { ...(output ?? plain), pretty: true } : output;
}

function chosen(request: ApiRequest, offer: Offer): Output | null {
  const accept = request.exchange.header('accept') ?? '';
  if (accept.length > maxCachedLength) return routeAndChoose(accept, offer);
  const key = offer + accept;
  let output = outputs.get(key);
  if (output === undefined) {
    output = routeAndChoose(accept, offer);
    outputs.set(key, output);
  }
  return output;
}

function routeAndChoose(accept: string, offer: Offer): Output | null {
  const routed = offer !== 'objects' || isRouted(accept, mediaTypes);
  return (routed ? choose(accept, offer) : undefined) ?? null;
}

function notAcceptable(request: ApiRequest, offer: Offer, stream: boolean): StatusError {
  if (offer === 'objects' && !isRouted(request.exchange.header('accept') ?? '', mediaTypes))
    return notRouted(stream || request.info.verb === 'list' ? [...mediaTypes, ...watchTypes] : mediaTypes);
  return StatusError.notAcceptable(typesOf(offer));
}

function typesOf(offer: Offer): readonly MediaType[] {
  return offer === 'documents' ? documentTypes : mediaTypes;
}

function choose(accept: string, offer: Offer): Output | undefined {
  if (accept === '') return plain;
  for (const clause of acceptClauses(accept)) {
    for (const mediaType of typesOf(offer)) {
      const output = acceptsMediaType(clause, mediaType) ? accepts(clause, mediaType, offer) : undefined;
      if (output) return output;
    }
  }
  return undefined;
}

const plain: Output = { mediaType: 'application/json', as: 'object', metaVersion: 'v1', pretty: false };

/** Resolves a matching media range to an output format; undefined if its parameters ask for one that is not served. */
function accepts({ parameters }: AcceptClause, mediaType: MediaType, offer: Offer): Output | undefined {
  const stream = parameters.get('stream');
  if (stream !== undefined && (stream !== 'watch' || mediaType === 'application/yaml')) return undefined;
  if (!allowsServerVersion(parameters.get('sv'), offer)) return undefined;
  const base = { ...plain, mediaType, pretty: parameters.get('pretty') === '1' };
  if (transformations.some((name) => parameters.has(name))) return transformed(parameters, base, offer);
  return offer === 'untyped' && mediaType === protobuf ? undefined : base;
}

function allowsServerVersion(version: string | undefined, offer: Offer): boolean {
  return version === undefined || (version === 'v1' && (offer === 'objects' || offer === 'untyped'));
}

const transformations = ['as', 'g', 'v'] as const;

function transformed(parameters: ReadonlyMap<string, string>, base: Output, offer: Offer): Output | undefined {
  const kind = parameters.get('as') ?? '';
  const as = representations.get(kind);
  const metaVersion = parameters.get('v');
  if (offer === 'documents' || offer === 'messages' || as === undefined) return undefined;
  if (parameters.get('g') !== 'meta.k8s.io' || (metaVersion !== 'v1' && metaVersion !== 'v1beta1')) return undefined;
  // Tables have no protobuf form.
  if (as === 'table' && base.mediaType === protobuf) return undefined;
  return { ...base, as, asList: kind.endsWith('List'), metaVersion };
}

const representations = new Map<string, Representation>([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata'],
]);

/** Requested by the query, or the client is an interactive tool. */
function wantsPretty(request: ApiRequest): boolean {
  const { exchange } = request;
  if (exchange.url.includes('pretty')) {
    const asked = request.query.get('pretty');
    if (asked) return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  }
  const agent = exchange.header('user-agent') ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}
