import { apiVersionOf, goQuote, type JsonValue, memoize, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { type Output, protobuf } from '../../http/negotiation.ts';
import { answerBytes } from '../../http/respond.ts';
import { bytesIn, cellsOf, columnsOfVersion, type Derivation, metadataSpanOf } from '../../registry/derived.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import type { Represented } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { protobufObject } from './protobuf.ts';

/** The derivation of an entry that an output needs; undefined if the cached bytes are enough. */
export function derivationFor({ mediaType, as }: Output, { resource, version }: Represented): Derivation | undefined {
  if (mediaType === protobuf) return 'protobuf';
  if (as === 'table') return 'cells';
  return as === 'metadata' || version === resource.hub || !version.converter ? undefined : 'version';
}

/** Encodes an object in the negotiated representation. */
export function answerEntry(status: number, entry: CacheEntry, request: Represented, output: Output): Answer | Promise<Answer> {
  if (output.asList) throw noRepresentation('PartialObjectMetadataList', 'not a list', request.resource.names.kind, request);
  const bytes = representation(entry, request, output);
  return answerBytes(status, output.mediaType === protobuf ? bytes : withLineEnd(bytes), output);
}

/** The error for an object that cannot be represented as requested. Names the Go type, as kube-apiserver does. */
export function noRepresentation(asked: string, what: string, kind: string, { resource, version }: Represented): StatusError {
  const suffix = kind.endsWith('List') ? 'List' : '';
  const type = version.schema.form ? `unstructured.Unstructured${suffix}` : `${goPackage(resource.hub.group)}.${kind}`;
  return StatusError.noRepresentation(`you requested ${asked}, but the requested object is ${what} (*${type})`);
}

const goPackages: Readonly<Record<string, string>> = { '': 'core', 'internal.apiserver.k8s.io': 'apiserverinternal' };

function goPackage(group: string): string {
  return goPackages[group] ?? group.split('.', 1)[0] ?? group;
}

const lineEnd = Buffer.from('\n');

/** Go's encoder ends with a newline. */
function withLineEnd(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, lineEnd], bytes.length + 1);
}

export function representation(entry: CacheEntry, request: Represented, output: Output): Buffer {
  if (output.mediaType === protobuf) return protobufObject(entry, request, output);
  if (output.as === 'object')
    return request.version === request.resource.hub ? entry.value : bytesIn(entry, request.resource, request.version);
  if (output.as === 'metadata') return partialMetadata(entry, output);
  return singleRowTable(entry, request, output);
}

/** PartialObjectMetadata. Metadata is the same in all versions. */
export function partialMetadata(entry: CacheEntry, { metaVersion }: Output): Buffer {
  const { start, end } = metadataSpanOf(entry);
  return Buffer.concat([partialPrefix(metaVersion), entry.value.subarray(start, end), closing]);
}

/** By version of meta.k8s.io, which negotiation limits to v1 and v1beta1. */
const prefixes = new Map<string, Buffer>();
const closing = Buffer.from('}');

export function partialPrefix(metaVersion: string): Buffer {
  let prefix = prefixes.get(metaVersion);
  if (!prefix) {
    prefix = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${metaVersion}","metadata":`);
    prefixes.set(metaVersion, prefix);
  }
  return prefix;
}

function singleRowTable(entry: CacheEntry, request: Represented, output: Output): Buffer {
  const policy = includeObject(request);
  const metadata = { resourceVersion: String(entry.revision) };
  const head = tableHead(request, output, metadata, true);
  return Buffer.concat([
    Buffer.from(head),
    ...tableRow(entry, request, output, policy, request.objects.services.now()),
    Buffer.from(']}'),
  ]);
}

/** The start of a list, up to and including the bracket of its items. */
export function listHead(request: Represented, output: Output, metadata: Record<string, JsonValue>): string {
  const { resource, version } = request;
  const type =
    output.as === 'metadata'
      ? `"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${output.metaVersion}"`
      : `"kind":"${resource.names.listKind}","apiVersion":"${apiVersionOf(version)}"`;
  return `{${type},"metadata":${JSON.stringify(metadata)},"items":[`;
}

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(request: Represented): IncludeObject {
  if (!request.exchange.url.includes('includeObject')) return 'Metadata';
  const asked = request.query.get('includeObject') ?? '';
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  const problem = `includeObject: Invalid value: ${goQuote(asked)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw StatusError.badRequest(`Unable to convert to Table as requested: ${problem}`);
}

/** The start of a Table, up to and including the bracket of its rows. */
export function tableHead(request: Represented, output: Output, metadata: object, columns: boolean): string {
  const definitions = columns ? columnDefinitions(request.version) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${output.metaVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${definitions},"rows":[`;
}

/** As JSON. */
const columnDefinitions = memoize((version: ServedVersion): string => {
  const announced = columnsOfVersion(version).filter(({ unannounced }) => !unannounced);
  const definitions = announced.map(({ name, type, format = '', description, priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  return JSON.stringify(definitions);
});

const rowEnd = Buffer.from('}}');
const objectEnd = Buffer.from('}');
const nullObject = Buffer.from('null}');

/** A row in pieces, which saves a copy of the object's bytes. */
export function tableRow(entry: CacheEntry, request: Represented, output: Output, policy: IncludeObject, now: number): Buffer[] {
  const { resource, version } = request;
  const cells = Buffer.from(`{"cells":${cellsOf(entry, version, columnsOfVersion(version), now)},"object":`);
  if (policy === 'None') return [cells, nullObject];
  if (policy === 'Object') return [cells, bytesIn(entry, resource, version), objectEnd];
  const { start, end } = metadataSpanOf(entry);
  return [cells, partialPrefix(output.metaVersion), entry.value.subarray(start, end), rowEnd];
}
