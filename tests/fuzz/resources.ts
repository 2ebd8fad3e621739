import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtinTypes } from '@tsukube/api';
import { type JsonObject, parseYaml } from '@tsukube/machinery';
import type { Any, Client } from '../support/client.ts';

export const namespace = 'fuzz';

/** A resource in one version, with valid objects. */
export interface FuzzedResource {
  readonly groupVersion: string;
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  /** The path of the collection, in the test namespace if it is namespaced. */
  readonly path: string;
  /** The path of the list across all namespaces. */
  readonly allPath: string;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** The name of the built-in type; custom resources have none. */
  readonly type: string | undefined;
  readonly seeds: JsonObject[];
}

export interface Subresource {
  readonly name: string;
  readonly groupVersion: string;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Connections to nodes and pods, which this server does not answer itself. */
const streams = /\/(proxy|exec|attach|portforward)$/;

/** Every resource in every served version. */
export async function discover(client: Client): Promise<FuzzedResource[]> {
  const { groups } = (await client.get('/apis')).body;
  const versions = groups.flatMap((group: Any) => group.versions.map((version: Any) => `/apis/${version.groupVersion}`));
  const found: FuzzedResource[] = [];
  for (const path of ['/api/v1', ...versions]) {
    const { groupVersion, resources } = (await client.get(path)).body;
    for (const each of resources) if (!each.name.includes('/')) found.push(resourceOf(path, groupVersion, each, resources));
  }
  return found;
}

function resourceOf(
  path: string,
  groupVersion: string,
  { name, kind, namespaced, verbs }: Any,
  all: readonly Any[],
): FuzzedResource {
  const subresources = all
    .filter((each) => each.name.startsWith(`${name}/`) && !streams.test(each.name))
    .map((each) => ({
      name: each.name.slice(name.length + 1),
      groupVersion: each.version ? `${each.group ? `${each.group}/` : ''}${each.version}` : groupVersion,
      kind: each.kind,
      verbs: each.verbs,
    }));
  return {
    groupVersion,
    group: groupVersion.replace(/\/?[^/]+$/, ''),
    plural: name,
    kind,
    path: `${path}${namespaced ? `/namespaces/${namespace}` : ''}/${name}`,
    allPath: `${path}/${name}`,
    verbs,
    subresources,
    type: typeOf(groupVersion, kind),
    seeds: [],
  };
}

let types: Map<string, string> | undefined;

export function typeOf(apiVersion: string, kind: string): string | undefined {
  types ??= new Map([...builtinTypes.names()].flatMap((name) => keysOf(name).map((key) => [key, name] as const)));
  return types.get(`${apiVersion}/${kind}`);
}

function keysOf(name: string): string[] {
  const { gvks = [] } = builtinTypes.get(name);
  return gvks.map(({ group, version, kind }) => `${group === '' ? version : `${group}/${version}`}/${kind}`);
}

const manifests = fileURLToPath(new URL('../kubectl/kinds', import.meta.url));

/** An object of every stored kind, from the manifests of the kubectl tests. */
export async function manifestObjects(): Promise<Any[]> {
  const files = readdirSync(manifests).filter((file) => file.endsWith('.yaml'));
  const documents = files.flatMap((file) => manifestIn(file).split(/^---$/m));
  return Promise.all(documents.map(async (document) => (await parseYaml(Buffer.from(document))).value));
}

/** The manifest with the test namespace, which some objects contain. */
function manifestIn(file: string): string {
  return readFileSync(join(manifests, file), 'utf8').replaceAll(/\bkinds-\w+/g, namespace);
}

/** Creates each seed object and reads it in every version, so that each version has a valid object. */
export async function plantSeeds(client: Client, resources: readonly FuzzedResource[], objects: readonly Any[]): Promise<void> {
  for (const object of objects) {
    const at = resources.find(({ groupVersion, kind }) => groupVersion === object.apiVersion && kind === object.kind);
    if (!at) continue;
    const { status, text } = await client.send('POST', at.path, object);
    if (status !== 201) throw new Error(`${object.kind}: ${text}`);
    for (const version of resources.filter(({ group, plural }) => group === at.group && plural === at.plural))
      version.seeds.push((await client.get(`${version.path}/${object.metadata.name}`)).body);
  }
  for (const { groupVersion, kind, seeds } of resources)
    if (seeds.length === 0) seeds.push({ apiVersion: groupVersion, kind, metadata: { name: 'seed' }, spec: {} });
}
