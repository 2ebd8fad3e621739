import { BoundedCache, type JsonObject, parseJson } from '@tsukube/machinery';
import type { Answer, AnswerHeaders } from '@tsukube/transport';
import { acceptClauses, acceptsMediaType } from '../http/accept.ts';
import type { ApiRequest } from '../http/api-request.ts';
import type { Resource } from '../registry/resource.ts';
import { type CustomDocuments, customDocuments } from './custom-documents.ts';
import { createDocuments, type DocumentOptions, type Documents } from './documents.ts';
import type { RemoteSpec } from './merge-specs.ts';
import { openApi3Protobuf } from './openapi3-protobuf.ts';
import {
  cachingHeaders,
  documentInSlices,
  isKnown,
  isUnmodified,
  lastModified,
  type ServedDocument,
  servedDocument,
} from './served-document.ts';

export interface OpenApiServerOptions extends DocumentOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Custom resources, each with its own schema. */
  readonly custom?: () => Iterable<Resource>;
  /** OpenAPI 3 documents of other servers: their names below /openapi/v3/ and their URLs. */
  readonly remote?: () => Iterable<readonly [name: string, url: string]>;
  /** OpenAPI 2 documents of other servers, in order of priority. */
  readonly remoteSpecs?: () => readonly RemoteSpec[];
}

/** Serves /openapi/v2 and /openapi/v3. */
export interface OpenApi {
  /** Undefined for other paths. */
  answer(request: ApiRequest): Answer | Promise<Answer> | undefined;
  /** Call when resources change. */
  invalidate(): void;
}

const json = 'application/json';
const swagger2Protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** Media types in order of preference. Kubernetes' own name contains `@`, which is not valid in a media type. */
const openApi3ProtobufNames = [
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf',
  'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
];
const swagger2ProtobufNames = ['application/com.github.proto-openapi.spec.v2@v1.0+protobuf', swagger2Protobuf];

export function createOpenApi(resources: () => readonly Resource[], options: OpenApiServerOptions): OpenApi {
  const now = options.now ?? Date.now;
  const current = createLibrary(resources, options, now);
  return {
    answer(request) {
      const { path } = request;
      if (!path.startsWith('/openapi/')) return undefined;
      if (path === '/openapi/v2') return answerSwagger2(request, current, now);
      if (path === '/openapi/v3') return answerIndex(request, current, now, options.remote?.() ?? []);
      if (path.startsWith('/openapi/v3/')) return answerOpenApi3(request, current, path.slice('/openapi/v3/'.length), now);
      return undefined;
    },
    invalidate: () => current.invalidate(),
  };
}

/** Cache of OpenAPI documents. */
interface Library {
  readonly documents: () => Documents;
  readonly custom: CustomDocuments;
  readonly remoteSpecs: () => readonly RemoteSpec[];
  get(key: string, make: () => string | Uint8Array): ServedDocument;
  /** A document of all resources. Concurrent requests share one build. */
  getWhole(key: string, make: () => Promise<ServedDocument>): ServedDocument | Promise<ServedDocument>;
  /** The document of a group version of custom resources. */
  getCustom(name: string, hash: string): ServedDocument;
  /** The protobuf form of an OpenAPI 3 document. Has the hash of the JSON form. */
  protobufOf(name: string, document: ServedDocument): Promise<ServedDocument>;
  /** The index of all documents, with the time of its last change. */
  index(text: string, now: () => number): ServedDocument;
  invalidate(): void;
}

/** Keys of documents that contain all resources. */
const wholes = ['/openapi/v2', '/openapi/v2 protobuf'];
/** Cached documents of custom resources. */
const maxCustom = 200;

function createLibrary(resources: () => readonly Resource[], options: OpenApiServerOptions, now: () => number): Library {
  const texts = new Map<string, ServedDocument>();
  const customTexts = new BoundedCache<string, ServedDocument>({ entries: maxCustom });
  let made: Documents | undefined;
  let described: readonly Resource[] | undefined;
  let index: ServedDocument | undefined;
  const building = new Map<string, Promise<ServedDocument>>();
  const protobufs = new BoundedCache<string, { readonly hash: string; readonly made: Promise<ServedDocument> }>({
    entries: maxCustom,
  });
  const documents = (): Documents => {
    if (!made) {
      described = [...resources()];
      made = createDocuments(described, options);
    }
    return made;
  };
  const custom = customDocuments(options.custom ?? (() => []), () => documents().types);
  return {
    documents,
    custom,
    remoteSpecs: options.remoteSpecs ?? (() => []),
    protobufOf(name, document) {
      const existing = protobufs.get(name);
      if (existing?.hash === document.hash) return existing.made;
      const made = openApi3Protobuf(parseJson(document.bytes).value as JsonObject).then((bytes) => ({ ...document, bytes }));
      protobufs.set(name, { hash: document.hash, made });
      return made;
    },
    index(text, now) {
      const bytes = Buffer.from(text);
      if (index === undefined || !bytes.equals(index.bytes)) index = { bytes, hash: '', modified: now() };
      return index;
    },
    getCustom(name, hash) {
      const existing = customTexts.get(name);
      if (existing?.hash === hash) return existing;
      const document = { bytes: Buffer.from(custom.openApi3(name)), hash, modified: now() };
      customTexts.set(name, document);
      return document;
    },
    invalidate() {
      custom.invalidate();
      building.clear();
      const isOther = described !== undefined && !isSame(described, resources());
      if (isOther) made = undefined;
      for (const key of isOther ? [...texts.keys()] : wholes) texts.delete(key);
    },
    getWhole(key, make) {
      const existing = texts.get(key) ?? building.get(key);
      if (existing) return existing;
      const making = make().then((document) => {
        // Discards the document if resources changed meanwhile.
        if (building.get(key) === making) texts.set(key, document);
        return document;
      });
      const forget = () => void (building.get(key) === making && building.delete(key));
      making.then(forget, forget);
      building.set(key, making);
      return making;
    },
    get(key, make) {
      const existing = texts.get(key);
      if (existing) return existing;
      const document = servedDocument(make(), now());
      texts.set(key, document);
      return document;
    },
  };
}

function isSame(a: readonly Resource[], b: readonly Resource[]): boolean {
  return a.length === b.length && a.every((resource, i) => resource === b[i]);
}

function openApi3(library: Library, name: string): ServedDocument {
  return library.get(name, () => library.documents().openApi3(name));
}

/** Builds one document per iteration of the event loop. */
async function answerIndex(
  request: ApiRequest,
  library: Library,
  now: () => number,
  remote: Iterable<readonly [name: string, url: string]>,
): Promise<Answer> {
  const paths: [string, { serverRelativeURL: string }][] = [];
  for (const name of library.documents().openApi3Names) {
    const { hash } = openApi3(library, name);
    paths.push([name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }]);
    await new Promise(setImmediate);
  }
  for (const name of library.custom.openApi3Names())
    paths.push([name, { serverRelativeURL: `/openapi/v3/${name}?hash=${library.custom.hashOf(name)}` }]);
  for (const [name, serverRelativeURL] of remote) paths.push([name, { serverRelativeURL }]);
  paths.sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify({ paths: Object.fromEntries(paths) });
  const { bytes: body, modified } = library.index(text, now);
  const headers = { 'last-modified': lastModified(modified, now()) };
  if (isUnmodified(request, modified)) return bytes(304, '', '', headers);
  return bytes(200, 'text/plain; charset=utf-8', body, headers);
}

function answerOpenApi3(request: ApiRequest, library: Library, name: string, now: () => number): Answer | Promise<Answer> {
  const builtIn = library.documents().openApi3Names.includes(name);
  const customHash = builtIn ? undefined : library.custom.hashOf(name);
  if (!builtIn && customHash === undefined) return bytes(404, '', '');
  const type = accepted(request, [json, ...openApi3ProtobufNames]);
  if (type === undefined) return bytes(406, '', '', { vary: 'Accept' });
  const document = customHash === undefined ? openApi3(library, name) : library.getCustom(name, customHash);
  const asked = request.query.get('hash');
  if (asked && asked !== document.hash) {
    return bytes(301, json, '', { ...cachingHeaders(document, now()), location: `/openapi/v3/${name}?hash=${document.hash}` });
  }
  const caching = asked ? { 'cache-control': 'public, immutable', expires: inOneYear(now()) } : undefined;
  if (type === json) return answerDocument(request, document, json, now, caching);
  const made = library.protobufOf(name, document);
  return made.then((message) => answerDocument(request, message, openApi3ProtobufNames[1] as string, now, caching));
}

function inOneYear(time: number): string {
  const date = new Date(time);
  date.setUTCFullYear(date.getUTCFullYear() + 1);
  return date.toUTCString();
}

function answerSwagger2(request: ApiRequest, library: Library, now: () => number): Answer | Promise<Answer> {
  const type = accepted(request, [json, ...swagger2ProtobufNames]);
  if (type === undefined) return bytes(406, '', '', { vary: 'Accept' });
  const isJson = type === json;
  const [key = ''] = isJson ? wholes : wholes.slice(1);
  const found = library.getWhole(key, () => (isJson ? swagger2Text(library, now) : swagger2Message(library, now)));
  const answer = (document: ServedDocument) => answerDocument(request, document, isJson ? json : swagger2Protobuf, now);
  return found instanceof Promise ? found.then(answer) : answer(found);
}

async function swagger2Text({ documents, custom, remoteSpecs }: Library, now: () => number): Promise<ServedDocument> {
  return documentInSlices(await documents().swagger2(custom.swagger2(), remoteSpecs()), now());
}

async function swagger2Message({ documents, custom, remoteSpecs }: Library, now: () => number): Promise<ServedDocument> {
  return servedDocument(await documents().swagger2Protobuf(custom.swagger2(), remoteSpecs()), now());
}

/** The media type that the Accept header prefers. */
function accepted(request: ApiRequest, mediaTypes: readonly string[]): string | undefined {
  const header = request.exchange.header('accept');
  if (!header) return mediaTypes[0];
  for (const clause of acceptClauses(header)) {
    const mediaType = mediaTypes.find((type) => acceptsMediaType(clause, type));
    if (mediaType !== undefined) return mediaType;
  }
  return undefined;
}

function answerDocument(
  request: ApiRequest,
  document: ServedDocument,
  type: string,
  now: () => number,
  more?: AnswerHeaders,
): Answer {
  const headers = { ...cachingHeaders(document, now()), ...more };
  if (!isKnown(request, document)) return bytes(200, type, document.bytes, headers);
  const { 'last-modified': _, ...others } = headers;
  return bytes(304, '', '', others);
}

function bytes(status: number, type: string, body: Uint8Array | string, headers?: AnswerHeaders): Answer {
  return { kind: 'bytes', status, type, body, headers };
}
