import { StatusError } from '@tsukube/machinery';
import type { ApiRequest, ResourceRequest } from './request.ts';
import { isRouted, notRouted } from './routed-types.ts';

export type Representation = 'object' | 'table' | 'metadata';

/** How an answer is to be written. */
export interface Output {
  readonly mediaType: MediaType;
  readonly as: Representation;
  /** The version of meta.k8s.io for tables and partial metadata. */
  readonly metaVersion: 'v1' | 'v1beta1';
  readonly pretty: boolean;
}

export const protobuf = 'application/vnd.kubernetes.protobuf';
const documentTypes = ['application/json', 'application/yaml'] as const;
/** What objects can be written in. */
export const mediaTypes = [...documentTypes, protobuf] as const;
const streamTypes = ['application/json', protobuf] as const;
export type MediaType = (typeof mediaTypes)[number];

interface Clause {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
  readonly order: number;
}

/** Clients send the same few Accept headers over and over. None of them is long. */
const known = new Map<string, Output | null>();
const maxKnown = 1000;
const maxKnownLength = 512;

/**
 * What there is to be written:
 * - `objects` of a built-in kind, also as tables and as metadata only;
 * - `untyped` ones, which have a schema instead of a type and no form in protobuf, though their metadata has;
 * - `messages`: a Status, a Scale and the like;
 * - `documents` that have no form in protobuf.
 */
type Offer = 'objects' | 'untyped' | 'messages' | 'documents';

export function negotiateObjects(request: ResourceRequest, stream = false): Output {
  return negotiate(request, request.version.schema.form ? 'untyped' : 'objects', stream);
}

/** Fails with 406 when nothing that is acceptable can be written. */
export function negotiate(request: ApiRequest, offer: Offer, stream = false): Output {
  const output = chosen(request, offer, stream);
  if (output === null) throw notAcceptable(request, offer, stream);
  return wantsPretty(request) ? { ...output, pretty: true } : output;
}

/** How to say that something failed: to a client that accepts nothing of what there is, in JSON that people can read. */
export function negotiateFailure(request: ApiRequest): Output {
  const output = chosen(request, 'messages', false);
  return output === null || wantsPretty(request) ? { ...(output ?? plain), pretty: true } : output;
}

function chosen(request: ApiRequest, offer: Offer, stream: boolean): Output | null {
  const accept = request.exchange.header('accept') ?? '';
  const key = `${offer}${stream ? 1 : 0}${accept}`;
  let output = known.get(key);
  if (output === undefined) {
    const routed = offer !== 'objects' || isRouted(accept, mediaTypes);
    output = (routed ? choose(accept, offer, stream) : undefined) ?? null;
    remember(key, output);
  }
  return output;
}

function notAcceptable(request: ApiRequest, offer: Offer, stream: boolean): StatusError {
  const streams = streamTypes.map((type) => `${type};stream=watch`);
  if (offer === 'objects' && !isRouted(request.exchange.header('accept') ?? '', mediaTypes))
    return notRouted(stream || request.info.verb === 'list' ? [...mediaTypes, ...streams] : mediaTypes);
  return StatusError.notAcceptable(stream && offer !== 'untyped' ? streams : typesOf(offer, false));
}

function remember(key: string, output: Output | null): void {
  if (key.length > maxKnownLength) return;
  if (known.size >= maxKnown) known.clear();
  known.set(key, output);
}

function typesOf(offer: Offer, stream: boolean): readonly MediaType[] {
  if (stream) return streamTypes;
  return offer === 'documents' ? documentTypes : mediaTypes;
}

function choose(accept: string, offer: Offer, stream: boolean): Output | undefined {
  if (accept === '') return plain;
  for (const clause of parseAccept(accept)) {
    const output = accepts(clause, offer, stream);
    if (output) return output;
  }
  return undefined;
}

const plain: Output = { mediaType: 'application/json', as: 'object', metaVersion: 'v1', pretty: false };

function accepts(clause: Clause, offer: Offer, stream: boolean): Output | undefined {
  const mediaType = typesOf(offer, stream).find((type) => matches(clause.type, type));
  if (!mediaType) return undefined;
  const { as, g, v, stream: wanted, pretty } = clause.parameters;
  if (wanted !== undefined && wanted !== '' && wanted !== 'watch') return undefined;
  const base = { mediaType, pretty: pretty === '1' };
  const plainly = as === undefined && g === undefined && v === undefined;
  if (plainly && offer === 'untyped' && mediaType === protobuf) return undefined;
  if (plainly) return { ...base, as: 'object', metaVersion: 'v1' };
  if (offer === 'documents' || offer === 'messages') return undefined;
  if (g !== 'meta.k8s.io' || (v !== 'v1' && v !== 'v1beta1')) return undefined;
  const representation = representations.get(as ?? '');
  // There is no table in protobuf.
  if (representation === 'table' && mediaType === protobuf) return undefined;
  return representation && { ...base, as: representation, metaVersion: v };
}

const representations = new Map<string, Representation>([
  ['Table', 'table'],
  ['PartialObjectMetadata', 'metadata'],
  ['PartialObjectMetadataList', 'metadata'],
]);

function matches(pattern: string, type: string): boolean {
  if (pattern === type || pattern === '*/*') return true;
  return pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1));
}

/** The clauses by quality, then by how specific they are, then as sent. */
function parseAccept(header: string): Clause[] {
  return header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause.quality > 0)
    .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b) || a.order - b.order);
}

const wildcards = ({ type }: Clause) => (type === '*/*' ? 2 : type.endsWith('/*') ? 1 : 0);

function parseClause(text: string, order: number): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters: Record<string, string> = {};
  let quality = 1;
  for (const part of rest) {
    const [name = '', value = ''] = part.split('=', 2);
    if (name === 'q') quality = Number.parseFloat(value) || 0;
    else if (name !== '__proto__') parameters[name] = value;
  }
  return { type: type.toLowerCase(), parameters, quality, order };
}

/** Asked for in the query, or guessed from the tools people type into. */
function wantsPretty(request: ApiRequest): boolean {
  const { exchange } = request;
  if (exchange.url.includes('pretty')) {
    const asked = request.query.get('pretty');
    if (asked) return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  }
  const agent = exchange.header('user-agent') ?? '';
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0');
}
