import { deepEqual, type JsonObject, type JsonValue, mapIn, metadataOf, objectIn, setKey } from '@tsukube/machinery';
import { parseAnnotation } from './number-annotation.ts';

/** How often the template of a daemon set has changed. It was a field once; now it is an annotation, and still counted. */
const annotation = 'deprecated.daemonset.template.generation';

/** Fails with 400 if a client says something that is no number. Without the annotation it is zero, and that is owned. */
export function defaultTemplateGeneration(object: JsonObject): void {
  if (generationOf(object) === undefined) setGeneration(object, 0n);
}

export function startCounting(object: JsonObject): void {
  setGeneration(object, atLeastOne(generationOf(object) ?? 0n));
}

function atLeastOne(generation: bigint): bigint {
  return generation < 1n ? 1n : generation;
}

/** What a client says of it does not count. */
export function countTemplate(object: JsonObject, old: JsonObject): void {
  const before = generationOf(old) ?? 0n;
  setGeneration(object, isTemplateChanged(object, old) ? before + 1n : before);
}

export function isTemplateChanged(object: JsonObject, old: JsonObject): boolean {
  return !deepEqual(templateOf(object), templateOf(old));
}

function templateOf(object: JsonObject): JsonValue {
  return objectIn(objectIn(object, 'spec'), 'template') ?? null;
}

function generationOf(object: JsonObject): bigint | undefined {
  const text = mapIn(metadataOf(object), 'annotations')[annotation];
  if (text === undefined) return undefined;
  return parseAnnotation(text, 'DaemonSet');
}

function setGeneration(object: JsonObject, generation: bigint): void {
  const metadata = metadataOf(object);
  const annotations = new Map<string, string>(Object.entries(mapIn(metadata, 'annotations')));
  annotations.set(annotation, String(generation));
  const sorted: Record<string, string> = {};
  for (const key of [...annotations.keys()].sort()) setKey(sorted, key, annotations.get(key) as string);
  metadata.annotations = sorted;
}
