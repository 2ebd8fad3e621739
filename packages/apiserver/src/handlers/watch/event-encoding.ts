import { apiVersionOf, type JsonObject, type StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import { type Output, protobuf } from '../../http/negotiation.ts';
import { bytesIn, isDerived } from '../../registry/derived.ts';
import { emptyIn } from '../../registry/object-form.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { atRevision, encodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry, CacheEvent } from '../../watchcache/entry.ts';
import type { Selection } from '../decoding/list-options.ts';
import {
  derivationFor,
  type IncludeObject,
  includeObject,
  partialMetadata,
  tableHead,
  tableRow,
} from '../encoding/object-encoding.ts';
import { protobufErrorEvent, protobufEvent } from '../encoding/protobuf.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** How a watch selects and encodes events. Watches with the same format share encoded frames. */
export interface WatchFormat {
  /** Equal for watches that get the same bytes. */
  readonly id: string;
  readonly prefix: string;
  /** The event's type for this watch; undefined if it is not selected. */
  typeOf(event: CacheEvent): EventType | undefined;
  selects(entry: CacheEntry): boolean;
  /** Whether encoding the entry would block the event loop, so that a worker thread prepares it. */
  isHeavy(entry: CacheEntry): boolean;
  prepare(entry: CacheEntry): Promise<void>;
  /** The encoded event; undefined if it is not selected. Encoded once and cached with the event. */
  frame(event: CacheEvent): Buffer | undefined;
  /** Whether the first frame differs: that of a Table has the column definitions. */
  readonly firstDiffers: boolean;
  entryFrame(type: EventType, entry: CacheEntry, first: boolean): Buffer;
  bookmark(revision: number, endOfInitialEvents: boolean, first: boolean): Buffer;
  error(error: StatusError): Buffer;
}

export function watchFormat(request: ResourceRequest, output: Output, selection: Selection): WatchFormat {
  const prefix = request.objects.prefix(request.info.namespace);
  const matches = selection.matches ?? always;
  const id = encodingId(request, output);
  const typeOf = transition(matches);
  const { entryFrame, bookmark, error } =
    output.mediaType === protobuf ? protobufFrames(request, output) : jsonFrames(request, output);
  return {
    id: `${id} ${prefix} ${selection.text}`,
    prefix,
    typeOf,
    firstDiffers: output.as === 'table',
    selects: matches,
    ...preparation(request, output),
    entryFrame,
    frame: (event) => {
      const type = event.entry.key.startsWith(prefix) ? typeOf(event) : undefined;
      return type && shared(event, type, id, () => entryFrame(type, subject(event, type), false));
    },
    bookmark,
    error,
  };
}

function preparation(request: ResourceRequest, output: Output): Pick<WatchFormat, 'isHeavy' | 'prepare'> {
  const { heavy, version } = request;
  const what = derivationFor(output, request);
  if (!heavy || !what) return { isHeavy: () => false, prepare: () => Promise.resolve() };
  return {
    isHeavy: (entry) => !isDerived(entry, version, what) && heavy.isHeavyObject(entry, request),
    prepare: (entry) => heavy.derive(request, entry, what),
  };
}

/** Equal for watches whose frames are equal. */
function encodingId(request: ResourceRequest, { mediaType, as, metaVersion }: Output): string {
  const { version, resource } = request;
  const row = as === 'table' ? includeObject(request) : '';
  return `${version.group}/${version.version}/${resource.names.plural}/${mediaType}/${as}/${metaVersion}/${row}`;
}

type Frames = Pick<WatchFormat, 'entryFrame' | 'bookmark' | 'error'>;

function jsonFrames(request: ResourceRequest, output: Output): Frames {
  return {
    entryFrame: (type, entry, first) => eventFrame(type, objectBytes(entry, request, output, first)),
    bookmark: (revision, end, first) => {
      const include = end ? 'Metadata' : undefined;
      return eventFrame('BOOKMARK', objectBytes(bookmarkEntry(request, revision, end), request, output, first, include));
    },
    error: (error) => eventFrame('ERROR', Buffer.from(stringifyJson(statusBody(error.status)))),
  };
}

function protobufFrames(request: ResourceRequest, output: Output): Frames {
  return {
    entryFrame: (type, entry) => protobufEvent(type, entry, request, output),
    bookmark: (revision, end) => protobufEvent('BOOKMARK', bookmarkEntry(request, revision, end), request, output),
    error: (error) => protobufErrorEvent(error),
  };
}

/** An empty object of the kind with a resourceVersion. */
function bookmarkEntry({ resource }: ResourceRequest, revision: number, end: boolean): CacheEntry {
  const resourceVersion = String(revision);
  const metadata: JsonObject = end
    ? { resourceVersion, annotations: { 'k8s.io/initial-events-end': 'true' } }
    : { resourceVersion };
  const { hub, names } = resource;
  const object = { ...emptyIn(hub.schema), kind: names.kind, apiVersion: apiVersionOf(hub), metadata };
  return { key: '', value: Buffer.from(encodeObject(object)), revision, created: 0, derived: undefined };
}

const always = () => true;

/** For the watch, an object that starts to match is ADDED and one that stops to match is DELETED. */
function transition(matches: (entry: CacheEntry) => boolean): (event: CacheEvent) => EventType | undefined {
  return ({ type, entry, previous }) => {
    const before = previous !== undefined && matches(previous);
    const after = type === 'put' && matches(entry);
    if (after) return before ? 'MODIFIED' : 'ADDED';
    return before ? 'DELETED' : undefined;
  };
}

/** The entry that an event shows: for an object that stopped matching the last matching state, at the new revision. */
export function subject({ type, entry, previous }: CacheEvent, seenAs: EventType): CacheEntry {
  if (seenAs !== 'DELETED' || type === 'delete' || !previous) return entry;
  return { ...previous, value: atRevision(previous.value, entry.revision), revision: entry.revision, derived: undefined };
}

function shared(event: CacheEvent, type: EventType, encoding: string, make: () => Buffer): Buffer {
  event.frames ??= new Map();
  const key = `${type} ${encoding}`;
  let frame = event.frames.get(key);
  if (!frame) {
    frame = make();
    event.frames.set(key, frame);
  }
  return frame;
}

function objectBytes(
  entry: CacheEntry,
  request: ResourceRequest,
  output: Output,
  first: boolean,
  include?: IncludeObject,
): Buffer {
  if (output.as === 'object') return bytesIn(entry, request.resource, request.version);
  if (output.as === 'metadata') return partialMetadata(entry, output);
  const now = request.objects.services.now();
  const head = tableHead(request, output, { resourceVersion: String(entry.revision) }, first);
  const asked = includeObject(request);
  const row = tableRow(entry, request, output, asked === 'None' ? (include ?? asked) : asked, now);
  return Buffer.concat([Buffer.from(head), ...row, Buffer.from(']}')]);
}

const frameEnd = Buffer.from('}\n');
/** By event type, of which there are five. */
const frameStart = new Map<string, Buffer>();

function eventFrame(type: string, object: Buffer): Buffer {
  let start = frameStart.get(type);
  if (!start) {
    start = Buffer.from(`{"type":"${type}","object":`);
    frameStart.set(type, start);
  }
  return Buffer.concat([start, object, frameEnd]);
}
