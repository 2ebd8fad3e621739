import { readFileSync } from 'node:fs';

type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Where scripts/build-descriptions.mjs leaves its file, seen from dist/types, from src/types and from a bundle. */
const places = [
  '../descriptions.json',
  '../../dist/descriptions.json',
  './descriptions.json',
  '../../builtin/dist/descriptions.json',
];

let loaded: Descriptions | undefined;

/** What a type, or one of its fields, is for. Empty where nothing is known. */
export function describe(type: string, field = ''): string {
  loaded ??= load();
  return loaded[keyOf(type)]?.[field] ?? describeTypeMeta(loaded, field);
}

function describeTypeMeta(descriptions: Descriptions, field: string): string {
  return field === 'kind' || field === 'apiVersion' ? (descriptions.TypeMeta?.[field] ?? '') : '';
}

/** io.k8s.api.core.v1.Pod is filed as IoK8sApiCoreV1Pod. */
function keyOf(type: string): string {
  return type.replace(/(?:^|[.-])(.)/g, (_, letter: string) => letter.toUpperCase());
}

function load(): Descriptions {
  for (const place of places) {
    const text = read(new URL(place, import.meta.url));
    if (text !== undefined) return JSON.parse(text) as Descriptions;
  }
  return {};
}

function read(url: URL): string | undefined {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return undefined;
  }
}
