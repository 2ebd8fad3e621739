import { type ApiGroup, type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource } from '../registry/resource.ts';
import type { Swagger2Part } from './custom-documents.ts';
import { openApi3Document } from './openapi3-document.ts';
import { type DocumentInfo, type Operation, objectMedia, operationScope, type Path } from './operation.ts';
import { resourcePaths } from './resource-paths.ts';
import type { Describe } from './schema.ts';
import { collectInSlices } from './served-document.ts';
import { type Swagger2Document, type Swagger2Text, swagger2Document, swagger2Text } from './swagger2-document.ts';
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
  /** The OpenAPI 2 document with the parts of custom resources, as text chunks, built in time slices. */
  swagger2(more: Iterable<Swagger2Part>): Promise<Iterable<string>>;
  swagger2Protobuf(more: Iterable<Swagger2Part>): Promise<Uint8Array>;
  readonly types: TypeIndex;
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
  return {
    openApi3Names: names,
    openApi3: (name) => openApi3Document(pathsAbout(name), typeIndex(), info, topics.get(name)?.near),
    async swagger2(more) {
      text ??= swagger2Text(swagger2());
      return swagger2With(await text, await collectInSlices(more));
    },
    swagger2Protobuf: async (more) => swagger2Protobuf(documentWith(swagger2(), await collectInSlices(more))),
    get types() {
      return typeIndex();
    },
  };
}

function swagger2With(text: Swagger2Text, more: readonly Swagger2Part[]): Iterable<string> {
  const { head, paths, definitions, parameters } = text;
  return [
    `${head},"paths":{`,
    ...listed([paths, ...more.map(({ pathsText }) => pathsText)]),
    '},"definitions":{',
    ...listed([definitions, ...more.map(({ definitionsText }) => definitionsText)]),
    `},"parameters":${parameters}}`,
  ];
}

/** Joins with commas. */
function listed(texts: readonly string[]): readonly string[] {
  const present = texts.filter((text) => text !== '');
  return present.flatMap((text, i) => (i === 0 ? [text] : [',', text]));
}

function documentWith(document: Swagger2Document, more: readonly Swagger2Part[]): Swagger2Document {
  return {
    ...document,
    *paths() {
      yield* document.paths();
      for (const { paths } of more) yield* paths;
    },
    *definitions() {
      yield* document.definitions();
      for (const { definitions } of more) yield* definitions;
    },
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

function getOperation(tag: string, id: string, description: string, type: string): Operation {
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
