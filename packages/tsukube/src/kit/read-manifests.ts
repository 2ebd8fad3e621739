import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@tsukube/machinery';
import { type KubernetesObject, type Manifest, TsukubeManifestError } from '../index.ts';
import { filesOf } from './glob.ts';

/** One object and where it was found. */
export interface ManifestObject {
  readonly object: KubernetesObject;
  /** The file, or the option and the index within it. */
  readonly source: string;
  /** From 1; undefined for an object that was passed directly. */
  readonly document: number | undefined;
}

interface Text {
  readonly text: string;
  readonly source: string;
}

/** All objects of the manifests, in order; Lists are flattened. Rejects with TsukubeManifestError. */
export async function readManifests(manifests: Manifest, option: string, cwd: string): Promise<ManifestObject[]> {
  if (Array.isArray(manifests)) {
    const read = await Promise.all(manifests.map((each: Manifest, i) => readManifests(each, `${option}[${i}]`, cwd)));
    return read.flat();
  }
  const given = manifests instanceof URL ? fileURLToPath(manifests) : manifests;
  if (typeof given !== 'string') return objectsIn(given, { source: option, document: undefined });
  const texts = isText(given) ? [{ text: given, source: option }] : filesFor(given, option, cwd);
  return (await Promise.all(texts.map(parseText))).flat();
}

/** Paths contain no line breaks and do not start like JSON or a YAML flow mapping. */
function isText(given: string): boolean {
  return given.includes('\n') || /^\s*\{.*:/.test(given);
}

function filesFor(pattern: string, option: string, cwd: string): Text[] {
  const files = filesOf(pattern, cwd);
  if (files.length === 0) throw new TsukubeManifestError(`${option}: no file matches ${pattern} in ${cwd}`, { source: option });
  return files.map((path) => {
    const source = relative(cwd, path).startsWith('..') ? path : relative(cwd, path);
    try {
      return { text: readFileSync(path, 'utf8'), source };
    } catch (cause) {
      throw new TsukubeManifestError(`${option}: ${(cause as Error).message}`, { source, cause });
    }
  });
}

async function parseText({ text, source }: Text): Promise<ManifestObject[]> {
  const objects: ManifestObject[] = [];
  let [line, document] = [0, 0];
  for (const part of text.split(/^---(?=\s|$)/m)) {
    document += 1;
    const value = await parseDocument(part, { source, document, line });
    line += part.split('\n').length - 1;
    if (value === null && document === 1) document = 0;
    if (value !== null) objects.push(...objectsIn(value, { source, document }));
  }
  return objects;
}

async function parseDocument(text: string, { source, document, line }: { source: string; document: number; line: number }) {
  try {
    return (await parseYaml(Buffer.from(text))).value;
  } catch (cause) {
    const message = (cause as Error).message.replace(/line (\d+)/g, (_, number: string) => `line ${Number(number) + line}`);
    throw new TsukubeManifestError(`${source}, document ${document}: ${message}`, { source, document, cause });
  }
}

function objectsIn(value: unknown, at: { source: string; document: number | undefined }): ManifestObject[] {
  if (Array.isArray(value)) return value.flatMap((item) => objectsIn(item, at));
  const object = value as KubernetesObject;
  if (typeof object !== 'object' || typeof object?.kind !== 'string' || typeof object.apiVersion !== 'string')
    throw new TsukubeManifestError(`${place(at)} is not a Kubernetes object: it has no apiVersion and kind`, at);
  if (object.kind.endsWith('List') && Array.isArray(object.items)) return objectsIn(object.items, at);
  return [{ object, ...at }];
}

/** `crds/a.yaml, document 2` */
export function place({ source, document }: { readonly source: string; readonly document: number | undefined }): string {
  return document === undefined ? source : `${source}, document ${document}`;
}
