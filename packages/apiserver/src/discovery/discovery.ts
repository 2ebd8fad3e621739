import { createHash } from 'node:crypto';
import { type JsonObject, StatusError, stringifyJson } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { isRouted, notRouted } from '../http/accept.ts';
import type { ApiRequest } from '../http/api-request.ts';
import { mediaTypes, negotiate, protobuf } from '../http/negotiation.ts';
import { answerBytes } from '../http/respond.ts';
import type { Resource } from '../registry/resource.ts';
import {
  type AggregatedForm,
  type AggregatedVersion,
  aggregatedDocument,
  aggregatedForm,
  aggregatedMediaType,
} from './aggregated.ts';
import { type ApiGroup, apiGroupsOf } from './api-group.ts';
import { discoveryProtobuf } from './discovery-protobuf.ts';
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from './legacy.ts';
import { type RemoteVersion, withRemoteVersions } from './remote-version.ts';

export interface DiscoveryOptions {
  /** host:port at which external clients reach the server. */
  serverAddress(): string;
  /** Group versions of other servers. */
  remote?(): readonly RemoteVersion[];
}

/** Serves the discovery documents. */
export interface Discovery {
  /** Undefined for other paths. */
  answer(request: ApiRequest): Answer | Promise<Answer> | undefined;
  /** Call when resources change. */
  invalidate(): void;
}

interface Document {
  readonly bytes: Uint8Array;
  /** In protobuf. */
  readonly message: () => Uint8Array;
  readonly etag: string;
}

interface Page {
  readonly legacy: () => JsonObject;
  /** For /api and /apis. */
  readonly aggregated?: (version: AggregatedVersion) => JsonObject;
  /** kube-apiserver checks the method of some discovery paths only. */
  readonly getOnly: boolean;
}

export function createDiscovery(resources: () => readonly Resource[], options: DiscoveryOptions): Discovery {
  let pages: ReadonlyMap<string, Page> | undefined;
  const documents = new Map<string, Document>();

  const documentOf = (key: string, build: () => JsonObject): Document => {
    const existing = documents.get(key);
    if (existing) return existing;
    const built = build();
    const bytes = Buffer.from(`${stringifyJson(built)}\n`);
    const document = {
      bytes,
      message: () => discoveryProtobuf(built),
      etag: `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"`,
    };
    documents.set(key, document);
    return document;
  };

  return {
    answer(request) {
      if (!request.path.startsWith('/api')) return undefined;
      pages ??= pagesOf(withRemoteVersions(apiGroupsOf(resources()), options.remote?.() ?? []), options);
      const path = request.path.replace(/\/$/, '');
      const page = pages.get(path);
      if (!page) return undefined;
      if (page.getOnly && request.method !== 'GET') throw StatusError.methodNotAllowed();
      const form = page.aggregated && aggregatedForm(request.exchange.header('accept') ?? '');
      if (!page.aggregated || !form) return answerLegacy(request, documentOf(path, page.legacy), page.getOnly);
      const { aggregated } = page;
      return answerAggregated(
        request,
        form,
        documentOf(`${path} ${form.version}`, () => aggregated(form.version)),
      );
    },
    invalidate() {
      pages = undefined;
      documents.clear();
    },
  };
}

function answerLegacy(request: ApiRequest, { bytes, message }: Document, routed: boolean): Answer | Promise<Answer> {
  if (routed && !isRouted(request.exchange.header('accept') ?? '', mediaTypes)) throw notRouted(mediaTypes);
  const output = negotiate(request, 'messages');
  return answerBytes(200, output.mediaType === protobuf ? message() : bytes, output);
}

async function answerAggregated(request: ApiRequest, form: AggregatedForm, document: Document): Promise<Answer> {
  const { bytes, message, etag } = document;
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  const type = aggregatedMediaType(form);
  if (request.exchange.header('if-none-match') === etag) return { kind: 'bytes', status: 304, type: '', body: '', headers };
  const output = { mediaType: form.mediaType, as: 'object', metaVersion: 'v1', pretty: false } as const;
  const body = form.mediaType === protobuf ? message() : bytes;
  return { ...(await answerBytes(200, body, output, headers)), type };
}

function pagesOf(groups: readonly ApiGroup[], options: DiscoveryOptions): ReadonlyMap<string, Page> {
  const core = groups.find(({ name }) => name === '');
  const named = groups.filter(({ name }) => name !== '');
  const pages = new Map<string, Page>([
    [
      '/api',
      { legacy: () => apiVersions(core, options.serverAddress()), aggregated: aggregate(core ? [core] : []), getOnly: true },
    ],
    ['/apis', { legacy: () => apiGroupList(named), aggregated: aggregate(named), getOnly: false }],
  ]);
  for (const group of named) pages.set(`/apis/${group.name}`, { legacy: () => apiGroup(group), getOnly: false });
  for (const version of groups.flatMap(({ versions }) => versions)) {
    pages.set(`/${version.group === '' ? 'api' : 'apis'}/${version.groupVersion}`, {
      legacy: () => apiResourceList(version),
      getOnly: true,
    });
  }
  return pages;
}

function aggregate(groups: readonly ApiGroup[]): (version: AggregatedVersion) => JsonObject {
  return (version) => aggregatedDocument(groups, version);
}
