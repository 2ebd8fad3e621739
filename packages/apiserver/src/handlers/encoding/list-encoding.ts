import { apiVersionOf, type JsonValue, type KubeObject } from '@tsukube/machinery';
import { eachInSlices } from '@tsukube/storage';
import type { Answer, BytesAnswer } from '@tsukube/transport';
import { type Output, protobuf } from '../../http/negotiation.ts';
import { answerBytes } from '../../http/respond.ts';
import { bytesIn, derive, isDerived, metadataSpanOf } from '../../registry/derived.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { encodeList, type ListWriter, listText } from './list-body.ts';
import {
  derivationFor,
  includeObject,
  listHead,
  noRepresentation,
  partialPrefix,
  tableHead,
  tableRow,
} from './object-encoding.ts';
import { protobufListWriter } from './protobuf.ts';

/** Encodes a list in the negotiated representation. Derivations that many entries lack are made in time slices first. */
export function answerList(
  request: ResourceRequest,
  entries: readonly CacheEntry[],
  metadata: Record<string, JsonValue>,
  output: Output,
): Answer | Promise<Answer> {
  if (output.as === 'metadata' && !output.asList)
    throw noRepresentation('PartialObjectMetadata', 'a list', request.resource.names.listKind, request);
  const preparing = prepareEntries(entries, request, output);
  const answer = () => encodedList(request, entries, metadata, output);
  return preparing ? preparing.then(answer) : answer();
}

function encodedList(
  request: ResourceRequest,
  entries: readonly CacheEntry[],
  metadata: Record<string, JsonValue>,
  output: Output,
): Answer | Promise<Answer> {
  const { rowRank } = request.resource;
  const ordered = rowRank && output.as === 'table' ? sortedRows(entries, rowRank) : entries;
  const writer = writerFor(request, metadata, output, ordered);
  const { first, whole } = encodeList(writer, ordered);
  const isReady = output.mediaType === protobuf || (output.mediaType === 'application/json' && !output.pretty);
  if (!isReady) return answerText(request, writer, ordered, whole ?? [first], output);
  if (!whole) return answerBytes(200, first, output);
  return { kind: 'bytes', status: 200, type: output.mediaType, body: whole } satisfies BytesAnswer;
}

const maxOffloadedBytes = 32 << 20;

/** YAML and indented JSON. If one item alone would block the event loop, a worker thread encodes the whole list. */
function answerText(
  request: ResourceRequest,
  writer: ListWriter,
  entries: readonly CacheEntry[],
  pieces: Iterable<Uint8Array>,
  output: Output,
): Answer | Promise<Answer> {
  if (entries.length === 0) return answerBytes(200, Buffer.concat([...pieces]), output);
  const { mediaType: type } = output;
  const { heavy } = request;
  const isHeavy = heavy && entries.some((entry) => heavy.isHeavyObject(entry, request));
  const bytes = entries.reduce((sum, { value }) => sum + value.length, 0);
  if (isHeavy && bytes < maxOffloadedBytes)
    return heavy
      .convert(request, Buffer.concat([...pieces]), output)
      .then((body) => ({ kind: 'bytes', status: 200, type, body }));
  return { kind: 'bytes', status: 200, type, body: listText(writer, entries, output) } satisfies BytesAnswer;
}

/** Makes the derivations that a list needs; undefined if none is missing. */
function prepareEntries(entries: readonly CacheEntry[], request: ResourceRequest, output: Output): Promise<void> | undefined {
  const what = derivationFor(output, request);
  if (!what) return undefined;
  const { resource, version, heavy } = request;
  const elsewhere: CacheEntry[] = [];
  const here = eachInSlices(entries, (entry) => {
    if (isDerived(entry, version, what)) return;
    if (heavy?.isHeavyObject(entry, request)) elsewhere.push(entry);
    else derive(entry, resource, version, what);
  });
  if (!here && elsewhere.length === 0) return undefined;
  return (async () => {
    await here;
    for (const entry of elsewhere) await heavy?.derive(request, entry, what);
  })();
}

/** A stable sort. */
function sortedRows(entries: readonly CacheEntry[], rank: (object: KubeObject) => number): readonly CacheEntry[] {
  const ranked = entries.map((entry) => ({ entry, rank: rank(decodeObject(entry.value)) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ entry }) => entry);
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
const brace = 0x7b;

/** Items of built-in types have no kind and apiVersion, as in Kubernetes. */
function objectWriter(request: ResourceRequest, head: string): ListWriter {
  const { resource, version } = request;
  const typeMeta = `"kind":"${resource.names.kind}","apiVersion":"${apiVersionOf(version)}",`;
  const skipped = version.schema.form ? 1 : 1 + typeMeta.length;
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

/** An empty PartialObjectMetadataList has `items: null`, as in Kubernetes. */
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
      const { start, end } = metadataSpanOf(entry);
      return prefix.length + end - start + 2;
    },
    write: (entry, out, at) => {
      const { start, end } = metadataSpanOf(entry);
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
  // Rows that were measured and not yet written.
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
