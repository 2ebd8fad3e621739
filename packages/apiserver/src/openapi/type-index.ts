import type { FieldType, JsonObject, TypeCatalogue, TypeDefinition } from '@tsukube/machinery';
import { type Describe, type Dialect, gvkObject, schemaOfSpecial, schemaOfType } from './schema.ts';
import { discoveryTypes, type SpecialType, specialType } from './well-known-types.ts';

/** Types that documents refer to, with their schemas per dialect. */
export interface TypeIndex {
  /** The given types and all types reachable from them, sorted. */
  reachableFrom(types: Iterable<string>): readonly string[];
  schema(name: string, dialect: Dialect): JsonObject;
  /** The schema as JSON text. `isNear` filters the group versions of types that exist in every group. */
  schemaText(name: string, dialect: Dialect, isNear?: (groupVersion: GroupVersion) => boolean): string;
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

type Entry = { readonly definition: TypeDefinition } | { readonly special: SpecialType } | undefined;

export function createTypeIndex(catalogues: readonly TypeCatalogue[], describe: Describe): TypeIndex {
  const entries = new Map<string, Entry>(Array.from(discoveryTypes, ([name, definition]) => [name, { definition }]));
  const texts = new Map<Dialect, Map<string, string>>();

  const entryOf = (name: string): Entry => {
    if (!entries.has(name)) entries.set(name, lookUp(catalogues, name));
    return entries.get(name);
  };

  const collect = (name: string, found: Set<string>): void => {
    if (found.has(name)) return;
    found.add(name);
    const entry = entryOf(name);
    if (!entry || !('definition' in entry)) return;
    for (const { type } of entry.definition.fields.values()) {
      const special = specialType(innermost(type));
      if (special) entries.set(special.name, { special });
      const next = special?.name ?? refOf(innermost(type));
      if (next !== undefined) collect(next, found);
    }
  };

  const schema = (name: string, dialect: Dialect): JsonObject => {
    const entry = entryOf(name);
    if (!entry) return { type: 'object' };
    return 'special' in entry
      ? schemaOfSpecial(entry.special, dialect, describe)
      : schemaOfType(entry.definition, dialect, describe);
  };

  const cachedText = (name: string, dialect: Dialect): string => {
    const known = texts.get(dialect) ?? new Map<string, string>();
    texts.set(dialect, known);
    const text = known.get(name) ?? JSON.stringify(schema(name, dialect));
    known.set(name, text);
    return text;
  };

  return {
    reachableFrom(types) {
      const found = new Set<string>();
      for (const type of types) collect(type, found);
      return [...found].sort();
    },
    schema,
    schemaText(name, dialect, isNear) {
      const entry = entryOf(name);
      const gvks = entry && 'definition' in entry ? (entry.definition.gvks ?? []) : [];
      if (gvks.length < 2 || !isNear) return cachedText(name, dialect);
      return JSON.stringify({ ...schema(name, dialect), 'x-kubernetes-group-version-kind': gvks.filter(isNear).map(gvkObject) });
    },
  };
}

function lookUp(catalogues: readonly TypeCatalogue[], name: string): Entry {
  for (const catalogue of catalogues) {
    try {
      return { definition: catalogue.get(name) };
    } catch {
      // A catalogue throws for a type that it does not have; the next one is tried.
    }
  }
  return undefined;
}

function innermost(type: FieldType): FieldType {
  return type.is === 'list' || type.is === 'map' ? innermost(type.of) : type;
}

function refOf(type: FieldType): string | undefined {
  return type.is === 'object' ? type.ref : undefined;
}
