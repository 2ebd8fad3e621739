import { createHash } from 'node:crypto';
import { type ApiResource, type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource } from '../resource.ts';
import { customPaths } from './custom-paths.ts';
import { withCustomTypes } from './custom-types.ts';
import { openApi3Document } from './openapi3-document.ts';
import { type NamedPiece, swagger2Document } from './swagger2-document.ts';
import type { TypeIndex } from './type-index.ts';

/** Documents about resources that come and go. A resource that stays the same is described once. */
export interface CustomDocuments {
  /** Below /openapi/v3/: apis/stable.example.com/v1. */
  openApi3Names(): Iterable<string>;
  /** Known without making the document. */
  hashOf(name: string): string | undefined;
  openApi3(name: string): string;
  /** What they add to the one document about everything. */
  swagger2(): Iterable<Swagger2Part>;
  /** To be called when resources have come or gone. */
  invalidate(): void;
}

export interface Swagger2Part {
  readonly paths: readonly NamedPiece[];
  readonly definitions: readonly NamedPiece[];
  /** The same as text: members of an object, without its braces. */
  readonly pathsText: string;
  readonly definitionsText: string;
}

const info = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
/** To be changed with what documents look like: clients keep them by their hashes. */
const formVersion = 1;

export function customDocuments(resources: () => Iterable<Resource>, types: () => TypeIndex): CustomDocuments {
  let topics: ReadonlyMap<string, ApiVersion> | undefined;
  const parts = new WeakMap<Resource, Swagger2Part>();
  const current = () => {
    topics ??= topicsOf([...resources()]);
    return topics;
  };
  const partOf = (version: ApiVersion, resource: ApiResource): Swagger2Part => {
    let part = parts.get(resource.resource);
    if (!part) {
      part = swagger2Part(version, resource, types());
      parts.set(resource.resource, part);
    }
    return part;
  };
  return {
    openApi3Names: () => current().keys(),
    hashOf(name) {
      const version = current().get(name);
      return version && hashOf(version);
    },
    openApi3(name) {
      const version = current().get(name) as ApiVersion;
      const paths = version.resources.flatMap((resource) => customPaths(version, resource));
      return openApi3Document(paths, withCustomTypes(types(), version.resources), info, version);
    },
    *swagger2() {
      for (const version of current().values()) for (const resource of version.resources) yield partOf(version, resource);
    },
    invalidate() {
      topics = undefined;
    },
  };
}

function topicsOf(resources: readonly Resource[]): ReadonlyMap<string, ApiVersion> {
  const versions = apiGroupsOf(resources).flatMap((group) => group.versions);
  return new Map(versions.map((version) => [`apis/${version.groupVersion}`, version]));
}

function hashOf({ groupVersion, resources }: ApiVersion): string {
  const states = resources.map(({ name, resource }) => `${name} ${resource.state ?? ''}`);
  const digest = createHash('sha512').update(`${formVersion}\n${groupVersion}\n${states.join('\n')}`);
  return digest.digest('hex').toUpperCase();
}

function swagger2Part(version: ApiVersion, resource: ApiResource, types: TypeIndex): Swagger2Part {
  const all = withCustomTypes(types, [resource]);
  const { type, listType } = resource.served.schema;
  const own = { ...all, reachableFrom: () => [type, listType] };
  const document = swagger2Document([customPaths(version, resource)], own, info);
  const [paths, definitions] = [[...document.paths()], [...document.definitions()]];
  return { paths, definitions, pathsText: textOf(paths), definitionsText: textOf(definitions) };
}

function textOf(pieces: readonly NamedPiece[]): string {
  return pieces.map(([name, piece]) => `${JSON.stringify(name)}:${JSON.stringify(piece)}`).join(',');
}
