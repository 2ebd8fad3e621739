import { readFileSync } from 'node:fs';

type FieldDescriptions = Readonly<Record<string, string>>;

/** The file of scripts/build-descriptions.mjs, relative to dist or a bundle, to src, and to the dist folder of another package. */
const places = ['./descriptions.json', '../dist/descriptions.json', '../../api/dist/descriptions.json'];
const nothing: FieldDescriptions = {};

/** The lines of the file by type key. */
let lines: ReadonlyMap<string, string> | undefined;
const known = new Map<string, FieldDescriptions>();

/** The description of a type or field; empty if there is none. */
export function describe(type: string, field = ''): string {
  return describeType(type)[field] ?? describeTypeMeta(field);
}

/** The description of a field without its enum values, for table columns. */
export function describeColumn(type: string, field: string): string {
  return describe(type, field).replace(/\n\nPossible enum values:[\s\S]*$/, '');
}

function describeTypeMeta(field: string): string {
  return field === 'kind' || field === 'apiVersion' ? (describeType('TypeMeta')[field] ?? '') : '';
}

function describeType(type: string): FieldDescriptions {
  return known.get(type) ?? readType(type);
}

function readType(type: string): FieldDescriptions {
  lines ??= load();
  const line = lines.get(keyOf(type));
  const fields = line === undefined ? nothing : (JSON.parse(line) as FieldDescriptions);
  if (line !== undefined) known.set(type, fields);
  return fields;
}

/** io.k8s.api.core.v1.Pod is filed as IoK8sApiCoreV1Pod. */
function keyOf(type: string): string {
  return type.replace(/(?:^|[.-])(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Each line but the first and the last is `"key":{…},`. */
function load(): ReadonlyMap<string, string> {
  const text = firstReadable(places).split('\n').slice(1, -2);
  return new Map(
    text.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(1, colon - 1), line.slice(colon + 1, line.endsWith(',') ? -1 : undefined)];
    }),
  );
}

function firstReadable(candidates: readonly string[]): string {
  for (const place of candidates) {
    try {
      return readFileSync(new URL(place, import.meta.url), 'utf8');
    } catch {
      // Not every place exists, and without the file everything works but the descriptions.
    }
  }
  return '';
}
