import { deepEqual, isObject, type JsonObject, type JsonValue, withoutKey } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';
import type { NamedPiece } from './swagger2-document.ts';

/** The parts of another server's OpenAPI 2 document that are merged into the own one. */
export interface RemoteSpec {
  readonly paths: readonly NamedPiece[];
  readonly definitions: readonly NamedPiece[];
  readonly parameters: readonly NamedPiece[];
}

/** Looks a name up in the server's own document. */
export interface LocalSpec {
  hasPath(path: string): boolean;
  definition(name: string): JsonObject | undefined;
  parameter(name: string): JsonObject | undefined;
}

export interface MergedSpecs extends RemoteSpec {
  /** Own definitions that other servers have too, for more group version kinds. */
  readonly replaced: ReadonlyMap<string, JsonObject>;
}

export const nothingMerged: MergedSpecs = { paths: [], definitions: [], parameters: [], replaced: new Map() };

const gvks = 'x-kubernetes-group-version-kind';
const definitionPrefix = '#/definitions/';
const parameterPrefix = '#/parameters/';

/**
 * Merges specs in the order given, like kube-aggregator: the first spec keeps a path; a definition or parameter whose name is taken by a
 * different one is renamed to NAME_v2, NAME_v3, …
 */
export async function mergeSpecs(local: LocalSpec, specs: readonly RemoteSpec[]): Promise<MergedSpecs> {
  const slice = new TimeSlice();
  const paths = new Map<string, JsonObject>();
  const replaced = new Map<string, JsonObject>();
  const definitions = new Names((name) => replaced.get(name) ?? local.definition(name), isSameDefinition);
  const parameters = new Names((name) => local.parameter(name), deepEqual);
  for (const source of specs) {
    const spec = specOfPaths(source, (path) => !paths.has(path) && !local.hasPath(path));
    if (spec.paths.length === 0) continue;
    const references = new Map([
      ...definitions.renames(spec.definitions, definitionPrefix),
      ...parameters.renames(spec.parameters, parameterPrefix),
    ]);
    const renamed = (value: JsonObject) => (references.size === 0 ? value : withReferences(value, references));
    for (const [name, definition] of spec.definitions) {
      const target = references.get(definitionPrefix + name)?.slice(definitionPrefix.length) ?? name;
      const existing = definitions.get(target);
      const merged = existing ? withKinds(existing, definition) : renamed(definition);
      if (merged !== existing && !definitions.add(target, merged)) replaced.set(target, merged);
      if (slice.over) await slice.rest();
    }
    for (const [name, parameter] of spec.parameters)
      parameters.addNew(references.get(parameterPrefix + name)?.slice(parameterPrefix.length) ?? name, renamed(parameter));
    for (const [path, item] of spec.paths) {
      paths.set(path, renamed(item));
      if (slice.over) await slice.rest();
    }
  }
  return { paths: [...paths], definitions: definitions.added(), parameters: parameters.added(), replaced };
}

/** Names of definitions or parameters: the own ones, and those added. */
class Names {
  readonly #added = new Map<string, JsonObject>();
  readonly #own: (name: string) => JsonObject | undefined;
  readonly #isSame: (a: JsonObject, b: JsonObject) => boolean;

  constructor(own: (name: string) => JsonObject | undefined, isSame: (a: JsonObject, b: JsonObject) => boolean) {
    this.#own = own;
    this.#isSame = isSame;
  }

  get(name: string): JsonObject | undefined {
    return this.#added.get(name) ?? this.#own(name);
  }

  /** False if the name is an own one. */
  add(name: string, piece: JsonObject): boolean {
    if (this.#own(name)) return false;
    this.#added.set(name, piece);
    return true;
  }

  addNew(name: string, piece: JsonObject): void {
    if (!this.get(name)) this.#added.set(name, piece);
  }

  added(): readonly NamedPiece[] {
    return [...this.#added];
  }

  /** New references of the pieces whose name is taken by another one, by the old reference. */
  *renames(pieces: readonly NamedPiece[], prefix: string): Iterable<readonly [string, string]> {
    const taken = new Set(pieces.map(([name]) => name));
    for (const [name, piece] of pieces) {
      const existing = this.get(name);
      if (!existing || this.#isSame(existing, piece)) continue;
      const other = this.#freeName(name, piece, taken);
      taken.add(other);
      yield [prefix + name, prefix + other];
    }
  }

  /** The first of NAME_v2, NAME_v3, … that is free, or has the same piece already. */
  #freeName(name: string, piece: JsonObject, taken: ReadonlySet<string>): string {
    for (let i = 2; ; i++) {
      const candidate = `${name}_v${i}`;
      const existing = this.get(candidate);
      if (existing ? this.#isSame(existing, piece) : !taken.has(candidate)) return candidate;
    }
  }
}

/** Equal except for group version kinds: metadata types are in every group. */
function isSameDefinition(a: JsonObject, b: JsonObject): boolean {
  return deepEqual(withoutKey(a, gvks), withoutKey(b, gvks));
}

/** A definition with the group version kinds of both, sorted; the first one itself if the second adds none. */
function withKinds(first: JsonObject, second: JsonObject): JsonObject {
  const known = kindsIn(first);
  const keys = new Set(known.map(keyOf));
  const more = kindsIn(second).filter((kind) => !keys.has(keyOf(kind)));
  if (more.length === 0) return first;
  const all = [...known, ...more].map((kind) => [keyOf(kind), kind] as const);
  return { ...first, [gvks]: all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind) };
}

function kindsIn(definition: JsonObject): readonly JsonObject[] {
  const kinds = definition[gvks];
  return Array.isArray(kinds) ? kinds.filter((kind) => isObject(kind)) : [];
}

function keyOf({ group, version, kind }: JsonObject): string {
  return `${group}/${version}.${kind}`;
}

/**
 * The spec with a part of its paths, and without the definitions that only other paths refer to. Definitions to which no path ever
 * referred are kept.
 */
export function specOfPaths(spec: RemoteSpec, isKept: (path: string) => boolean): RemoteSpec {
  const paths = spec.paths.filter(([path]) => isKept(path));
  if (paths.length === spec.paths.length) return spec;
  const [before, after] = [referencesOf(spec), referencesOf({ ...spec, paths })];
  const isNeeded = (reference: string) => after.has(reference) || !before.has(reference);
  return { ...spec, paths, definitions: spec.definitions.filter(([name]) => isNeeded(definitionPrefix + name)) };
}

/** All references that can be reached from the paths. */
function referencesOf({ paths, definitions, parameters }: RemoteSpec): ReadonlySet<string> {
  const targets = new Map<string, JsonObject>();
  for (const [name, piece] of definitions) targets.set(definitionPrefix + name, piece);
  for (const [name, piece] of parameters) targets.set(parameterPrefix + name, piece);
  const found = new Set<string>();
  const pending: JsonValue[] = paths.map(([, item]) => item);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const reference = isObject(value) ? value.$ref : undefined;
    if (typeof reference === 'string' && !found.has(reference)) {
      found.add(reference);
      const target = targets.get(reference);
      if (target) pending.push(target);
    }
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) pending.push(member);
  }
  return found;
}

function withReferences(value: JsonObject, references: ReadonlyMap<string, string>): JsonObject {
  const changed = (each: JsonValue, key: string): JsonValue => {
    if (Array.isArray(each)) return each.map((item) => changed(item, ''));
    if (isObject(each)) return withReferences(each, references);
    return key === '$ref' && typeof each === 'string' ? (references.get(each) ?? each) : each;
  };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each, key)]));
}
