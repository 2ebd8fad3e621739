import { type ApiGroup, type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource } from '../resource.ts';
import { corePath, groupPath, groupsPath, resourceListPath, versionPath } from './discovery-paths.ts';
import type { DocumentInfo } from './document.ts';
import { openApi3Document } from './openapi3-document.ts';
import type { Path } from './operation.ts';
import { resourcePaths } from './resource-paths.ts';
import type { Describe } from './schema.ts';
import { swagger2Document, swagger2Text } from './swagger2-document.ts';
import { swagger2Protobuf } from './swagger2-protobuf.ts';
import { createTypeIndex, type TypeIndex } from './type-index.ts';

export interface DocumentOptions extends DocumentInfo {
  readonly describe: Describe;
}

/** The documents about a set of resources, each made when it is asked for. */
export interface Documents {
  /** Below /openapi/v3/, sorted: api, api/v1, apis/apps/v1. */
  readonly openApi3Names: readonly string[];
  openApi3(name: string): string;
  swagger2(): string;
  swagger2Protobuf(): Uint8Array;
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
    swagger2: () => swagger2Text(swagger2()),
    swagger2Protobuf: () => swagger2Protobuf(swagger2()),
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
