import { apiVersionOf, type JsonObject, type JsonValue } from '@tsukube/machinery';
import type { Answer, BytesAnswer } from '../http/answer.ts';
import { type Output, protobuf } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { answerBytes } from '../http/respond.ts';
import { bytesIn, metadataOf } from '../registry/derived.ts';
import { decodeObject } from '../registry/stored-form.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import { listText } from './list-text.ts';
import { protobufListWriter } from './protobuf.ts';
import { listHead, noRepresentation, partialPrefix } from './represent.ts';
import { includeObject, tableHead, tableRow } from './table.ts';

/** Lists up to this size are written in one piece, larger ones piece by piece as the client takes them. */
const pieceBytes = 1 << 20;

export interface ListWriter {
  readonly head: Buffer;
  readonly tail: Buffer;
  /** Whether every item is written with a comma before it, of which the first lands on the last byte of the head. */
  readonly separated: boolean;
  /** The number of bytes an item takes, with its comma. */
  size(entry: CacheEntry): number;
  /** Writes an item with its leading comma and gives the position behind it. */
  write(entry: CacheEntry, out: Buffer, at: number): number;
}

/** A list is the concatenation of bytes that are there already. */
export function answerList(
  request: ResourceRequest,
  entries: readonly CacheEntry[],
  metadata: Record<string, JsonValue>,
  output: Output,
): Answer | Promise<Answer> {
  if (output.as === 'metadata' && !output.asList)
    throw noRepresentation('PartialObjectMetadata', 'a list', request.resource.names.listKind, request);
  const { rowRank } = request.resource;
  const ordered = rowRank && output.as === 'table' ? sortedRows(entries, rowRank) : entries;
  const writer = writerFor(request, metadata, output, ordered);
  const pieces = encode(writer, ordered);
  const first = pieces.next().value as Buffer;
  const second = pieces.next();
  if (second.done) return answerBytes(200, first, output);
  const isReady = output.mediaType === protobuf || (output.mediaType === 'application/json' && !output.pretty);
  const body = isReady ? resume(first, second.value, pieces) : listText(writer, ordered, output);
  return { kind: 'bytes', status: 200, type: output.mediaType, body } satisfies BytesAnswer;
}

/** Entries of the same rank stay in the order of the list. */
function sortedRows(entries: readonly CacheEntry[], rank: (object: JsonObject) => number): readonly CacheEntry[] {
  const ranked = entries.map((entry) => ({ entry, rank: rank(decodeObject(entry.value)) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
}

function* resume(first: Buffer, second: Buffer, rest: Iterable<Buffer>): Generator<Buffer> {
  yield first;
  yield second;
  yield* rest;
}

function* encode(writer: ListWriter, entries: readonly CacheEntry[]): Generator<Buffer> {
  let from = 0;
  do {
    let size = 0;
    let to = from;
    while (to < entries.length && size < pieceBytes) size += writer.size(entries[to++] as CacheEntry);
    yield encodePiece(writer, entries, from, to, size);
    from = to;
  } while (from < entries.length);
}

function encodePiece(writer: ListWriter, entries: readonly CacheEntry[], from: number, to: number, size: number): Buffer {
  const { head, tail, separated } = writer;
  const first = from === 0;
  const last = to === entries.length;
  const out = Buffer.allocUnsafe(size + (first ? head.length : 0) + (last ? tail.length : 0));
  let at = first ? head.copy(out) : 0;
  if (first && separated && to > from) at--;
  for (let i = from; i < to; i++) at = writer.write(entries[i] as CacheEntry, out, at);
  if (first && separated) out[head.length - 1] = bracket;
  if (last) at += tail.copy(out, at);
  return at === out.length ? out : out.subarray(0, at);
}

function writerFor(
  request: ResourceRequest,
  metadata: Record<string, JsonValue>,
  output: Output,
  entries: readonly CacheEntry[],
): ListWriter {
  if (output.mediaType === protobuf) return protobufListWriter(request, output, metadata, entries);
  if (output.as === 'table') return tableWriter(request, metadata, output);
  const head = listHead(request, output, metadata);
  if (output.as !== 'metadata') return objectWriter(request, head);
  return entries.length === 0 ? noMetadataWriter(head) : metadataWriter(head, output);
}

const tail = Buffer.from(']}\n');
const comma = 0x2c;
const bracket = 0x5b;
const brace = 0x7b;

/** Items of a list carry no kind and no apiVersion of their own, if they have a type: the list says them once. */
function objectWriter(request: ResourceRequest, head: string): ListWriter {
  const { resource, version } = request;
  const said = `"kind":"${resource.names.kind}","apiVersion":"${apiVersionOf(version)}",`;
  const skipped = version.schema.form ? 1 : 1 + said.length;
  const hub = version === resource.hub;
  return {
    head: Buffer.from(head),
    tail,
    separated: true,
    size: (entry) => (hub ? entry.value : bytesIn(entry, resource, version)).length - skipped + 2,
    write: (entry, out, at) => {
      const bytes = hub ? entry.value : bytesIn(entry, resource, version);
      out[at] = comma;
      out[at + 1] = brace;
      return at + 2 + bytes.copy(out, at + 2, skipped);
    },
  };
}

/** A PartialObjectMetadataList without items has null for them, as in Kubernetes. */
function noMetadataWriter(head: string): ListWriter {
  const text = Buffer.from(`${head.slice(0, -1)}null}\n`);
  return { head: text, tail: Buffer.alloc(0), separated: false, size: () => 0, write: (_entry, _out, at) => at };
}

function metadataWriter(head: string, output: Output): ListWriter {
  const prefix = partialPrefix(output.metaVersion);
  return {
    head: Buffer.from(head),
    tail,
    separated: true,
    size: (entry) => {
      const { start, end } = metadataOf(entry);
      return prefix.length + end - start + 2;
    },
    write: (entry, out, at) => {
      const { start, end } = metadataOf(entry);
      out[at++] = comma;
      at += prefix.copy(out, at);
      at += entry.value.copy(out, at, start, end);
      out[at++] = 0x7d;
      return at;
    },
  };
}

function tableWriter(request: ResourceRequest, metadata: Record<string, JsonValue>, output: Output): ListWriter {
  const policy = includeObject(request);
  const now = request.objects.services.now();
  // Rows that have been measured and are still to be written.
  let measured: Buffer[][] = [];
  let next = 0;
  return {
    head: Buffer.from(tableHead(request, output, metadata, true)),
    tail,
    separated: true,
    size: (entry) => {
      if (next > 0) {
        measured = [];
        next = 0;
      }
      const row = tableRow(entry, request, output, policy, now);
      measured.push(row);
      return row.reduce((size, piece) => size + piece.length, 1);
    },
    write: (_entry, out, at) => {
      out[at++] = comma;
      for (const piece of measured[next++] as Buffer[]) at += piece.copy(out, at);
      return at;
    },
  };
}
