import { getKey, isObject, type JsonObject } from '@tsukube/machinery';
import { type ApiGroup, type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource } from '../registry/resource.ts';
import type { Swagger2Part } from './custom-documents.ts';
import { type LocalSpec, type MergedSpecs, mergeSpecs, nothingMerged, type RemoteSpec } from './merge-specs.ts';
import { openApi3Document } from './openapi3-document.ts';
import { type DocumentInfo, type OpenApiOperation, objectMedia, operationScope, type Path } from './operation.ts';
import { resourcePaths } from './resource-paths.ts';
import type { Describe } from './schema.ts';
import { collectInSlices } from './served-document.ts';
import {
  type NamedPiece,
  type Swagger2Document,
  type Swagger2Text,
  swagger2Document,
  swagger2Text,
} from './swagger2-document.ts';
import { swagger2Protobuf } from './swagger2-protobuf.ts';
import { createTypeIndex, type TypeIndex } from './type-index.ts';
import { apiGroupListType, apiGroupType, apiResourceListType, apiVersionsType, versionInfoType } from './well-known-types.ts';

export interface DocumentOptions extends DocumentInfo {
  readonly describe: Describe;
}

/** OpenAPI documents of a fixed set of resources, built on demand. */
export interface Documents {
  /** Names below /openapi/v3/, sorted: api, api/v1, apis/apps/v1. */
  readonly openApi3Names: readonly string[];
  openApi3(name: string): string;
  /** The OpenAPI 2 document with the parts of custom resources and other servers, as text chunks, built in time slices. */
  swagger2(custom: Iterable<Swagger2Part>, remote: readonly RemoteSpec[]): Promise<Iterable<string>>;
  swagger2Protobuf(custom: Iterable<Swagger2Part>, remote: readonly RemoteSpec[]): Promise<Uint8Array>;
  readonly types: TypeIndex;
}

/** Parts of the OpenAPI 2 document that do not belong to built-in resources. */
interface Additions {
  readonly custom: readonly Swagger2Part[];
  readonly remote: MergedSpecs;
}

interface Topic {
  readonly paths: () => readonly Path[];
  readonly near?: ApiVersion;
}

export function createDocuments(resources: readonly Resource[], { describe, title, version }: DocumentOptions): Documents {
  const groups = apiGroupsOf(resources);
  const topics = topicsOf(groups);
  const info = { title, version };
  let types: TypeIndex | undefined;
  let text: Promise<Swagger2Text> | undefined;
  const typeIndex = () => {
    types ??= createTypeIndex([...new Set(resources.flatMap(cataloguesOf))], describe);
    return types;
  };
  const names = [...topics.keys()].sort();
  const pathsAbout = (name: string) => topics.get(name)?.paths() ?? [];
  const swagger2 = () => swagger2Document(mapLazily(names, pathsAbout), typeIndex(), info);
  const localText = () => {
    text ??= swagger2Text(swagger2());
    return text;
  };
  const additions = async (more: Iterable<Swagger2Part>, remote: readonly RemoteSpec[]): Promise<Additions> => {
    const custom = await collectInSlices(more);
    return {
      custom,
      remote: remote.length === 0 ? nothingMerged : await mergeSpecs(localSpec(await localText(), custom), remote),
    };
  };
  return {
    openApi3Names: names,
    openApi3: (name) => openApi3Document(pathsAbout(name), typeIndex(), info, topics.get(name)?.near),
    swagger2: async (custom, remote) => swagger2With(await localText(), await additions(custom, remote)),
    swagger2Protobuf: async (custom, remote) => swagger2Protobuf(documentWith(swagger2(), await additions(custom, remote))),
    get types() {
      return typeIndex();
    },
  };
}

/** Names that specs of other servers may not take. */
function localSpec({ paths, definitions, parameters }: Swagger2Text, custom: readonly Swagger2Part[]): LocalSpec {
  const customPaths = new Set(custom.flatMap((part) => part.paths.map(([name]) => name)));
  const customDefinitions = new Map(custom.flatMap((part) => part.definitions));
  return {
    hasPath: (path) => paths.has(path) || customPaths.has(path),
    definition(name) {
      const text = definitions.get(name);
      return text === undefined ? customDefinitions.get(name) : (JSON.parse(text) as JsonObject);
    },
    parameter(name) {
      const found = getKey(parameters, name);
      return isObject(found) ? found : undefined;
    },
  };
}

/** The JSON text in pieces, made on demand. */
function* swagger2With({ head, paths, definitions, parameters }: Swagger2Text, { custom, remote }: Additions): Iterable<string> {
  yield `${head},"paths":{`;
  yield* listed([members(paths, none), customTexts(custom, 'pathsText'), pieceTexts(remote.paths)]);
  yield '},"definitions":{';
  yield* listed([members(definitions, remote.replaced), customTexts(custom, 'definitionsText'), pieceTexts(remote.definitions)]);
  yield `},"parameters":${JSON.stringify({ ...parameters, ...Object.fromEntries(remote.parameters) })}}`;
}

const none: ReadonlyMap<string, JsonObject> = new Map();

function* members(texts: ReadonlyMap<string, string>, replaced: ReadonlyMap<string, JsonObject>): Iterable<string> {
  for (const [name, text] of texts) {
    const other = replaced.get(name);
    yield `${JSON.stringify(name)}:${other ? JSON.stringify(other) : text}`;
  }
}

function* customTexts(custom: readonly Swagger2Part[], field: 'pathsText' | 'definitionsText'): Iterable<string> {
  for (const part of custom) if (part[field] !== '') yield part[field];
}

function* pieceTexts(pieces: readonly NamedPiece[]): Iterable<string> {
  for (const [name, piece] of pieces) yield `${JSON.stringify(name)}:${JSON.stringify(piece)}`;
}

/** Joins with commas. */
function* listed(groups: readonly Iterable<string>[]): Iterable<string> {
  let isFirst = true;
  for (const texts of groups)
    for (const text of texts) {
      yield isFirst ? text : `,${text}`;
      isFirst = false;
    }
}

function documentWith(document: Swagger2Document, { custom, remote }: Additions): Swagger2Document {
  return {
    ...document,
    *paths() {
      yield* document.paths();
      for (const { paths } of custom) yield* paths;
      yield* remote.paths;
    },
    *definitions() {
      for (const piece of document.definitions()) yield [piece[0], remote.replaced.get(piece[0]) ?? piece[1]];
      for (const { definitions } of custom) yield* definitions;
      yield* remote.definitions;
    },
    parameters: () => ({ ...document.parameters(), ...Object.fromEntries(remote.parameters) }),
  };
}

function* mapLazily<T, R>(items: Iterable<T>, map: (item: T) => R): Iterable<R> {
  for (const item of items) yield map(item);
}

const cataloguesOf = ({ versions }: Resource) => versions.map(({ schema }) => schema.catalogue);

function topicsOf(groups: readonly ApiGroup[]): ReadonlyMap<string, Topic> {
  const topics = new Map<string, Topic>([
    ['api', { paths: () => [corePath] }],
    ['apis', { paths: () => [groupsPath] }],
    ['version', { paths: () => [versionPath] }],
  ]);
  for (const group of groups) {
    if (group.name !== '') topics.set(`apis/${group.name}`, { paths: () => [groupPath(group)] });
    for (const version of group.versions) topics.set(topicName(version), { paths: () => pathsOf(version), near: version });
  }
  return topics;
}

function topicName({ group, groupVersion }: ApiVersion): string {
  return `${group === '' ? 'api' : 'apis'}/${groupVersion}`;
}

function pathsOf(version: ApiVersion): readonly Path[] {
  return [resourceListPath(version), ...version.resources.flatMap((resource) => resourcePaths(version, resource))];
}

/** Paths of the discovery endpoints. */
const corePath: Path = discoveryPath('/api/', 'core', 'getCoreAPIVersions', 'get available API versions', apiVersionsType);
const groupsPath: Path = discoveryPath('/apis/', 'apis', 'getAPIVersions', 'get available API versions', apiGroupListType);

const versionPath: Path = {
  path: '/version/',
  operations: [
    {
      ...getOperation('version', 'getCodeVersion', 'get the version information for this server', versionInfoType),
      consumes: ['application/json'],
      produces: ['application/json'],
    },
  ],
};

function groupPath({ name }: ApiGroup): Path {
  const { tag, infix } = operationScope(name);
  return discoveryPath(`/apis/${name}/`, tag, `get${infix}APIGroup`, 'get information of a group', apiGroupType);
}

function resourceListPath({ group, version, groupVersion }: ApiVersion): Path {
  const { tag, infix } = operationScope(group, version);
  const path = `/${group === '' ? 'api' : 'apis'}/${groupVersion}/`;
  return discoveryPath(path, tag, `get${infix}APIResources`, 'get available resources', apiResourceListType);
}

function discoveryPath(path: string, tag: string, id: string, description: string, type: string): Path {
  return { path, operations: [getOperation(tag, id, description, type)] };
}

function getOperation(tag: string, id: string, description: string, type: string): OpenApiOperation {
  return {
    method: 'get',
    id,
    tag,
    description,
    parameters: [],
    consumes: objectMedia,
    produces: objectMedia,
    responses: [{ code: 200, type }],
  };
}
