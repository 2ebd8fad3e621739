import {
  apiVersionOf,
  encodeStatus,
  envelopeTail,
  type JsonValue,
  listItemSize,
  partialMetadataBytes,
  protobufListHead,
  type StatusError,
  watchFrame,
  wrapProtobuf,
  writeListItem,
} from '@tsukube/machinery';
import type { Output } from '../../http/negotiation.ts';
import { protobufIn } from '../../registry/derived.ts';
import type { Represented, ResourceRequest } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import type { ListWriter } from './list-body.ts';

/** The type meta in the envelope of a message. */
interface EnvelopeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

function envelopeMetaOf({ version, resource }: Represented, { as, metaVersion }: Output): EnvelopeMeta {
  if (as === 'metadata') return { apiVersion: `meta.k8s.io/${metaVersion}`, kind: 'PartialObjectMetadata' };
  return { apiVersion: apiVersionOf(version), kind: resource.names.kind };
}

function messageOf(entry: CacheEntry, { version }: Represented, { as }: Output): Uint8Array {
  const message = protobufIn(entry, version);
  return as === 'metadata' ? partialMetadataBytes(message) : message;
}

export function protobufObject(entry: CacheEntry, request: Represented, output: Output): Buffer {
  const { apiVersion, kind } = envelopeMetaOf(request, output);
  return wrapProtobuf(apiVersion, kind, messageOf(entry, request, output));
}

/** The length of a list precedes its items, so all items are measured first. */
export function protobufListWriter(
  request: ResourceRequest,
  output: Output,
  metadata: Record<string, JsonValue>,
  entries: readonly CacheEntry[],
): ListWriter {
  const size = (entry: CacheEntry) => listItemSize(messageOf(entry, request, output));
  const { apiVersion, kind } = envelopeMetaOf(request, output);
  const listKind = output.as === 'metadata' ? `${kind}List` : request.resource.names.listKind;
  const total = entries.reduce((sum, entry) => sum + size(entry), 0);
  return {
    head: protobufListHead(apiVersion, listKind, metadata, total),
    tail: envelopeTail,
    separated: false,
    size,
    write: (entry, out, at) => writeListItem(messageOf(entry, request, output), out, at),
  };
}

export function protobufEvent(type: string, entry: CacheEntry, request: ResourceRequest, output: Output): Buffer {
  const { apiVersion, kind } = envelopeMetaOf(request, output);
  return watchFrame(type, apiVersion, kind, messageOf(entry, request, output));
}

export function protobufErrorEvent(error: StatusError): Buffer {
  return watchFrame('ERROR', 'v1', 'Status', encodeStatus(error.status));
}
