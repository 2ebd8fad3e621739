import { goQuote, StatusError } from '@tsukube/machinery';
import type { Output } from '../../http/negotiation.ts';
import { bytesIn, cellsOf, columnsOf, metadataSpanOf } from '../../registry/derived.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import type { Represented } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { partialPrefix } from './object-encoding.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(request: Represented): IncludeObject {
  if (!request.exchange.url.includes('includeObject')) return 'Metadata';
  const asked = request.query.get('includeObject') ?? '';
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  const problem = `includeObject: Invalid value: ${goQuote(asked)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw StatusError.badRequest(`Unable to convert to Table as requested: ${problem}`);
}

/** Column definitions as JSON, encoded once for each version. */
const definitionTexts = new WeakMap<ServedVersion, string>();

/** The start of a Table, up to and including the bracket of its rows. */
export function tableHead(request: Represented, output: Output, metadata: object, columns: boolean): string {
  const definitions = columns ? columnDefinitions(request.version) : 'null';
  return `{"kind":"Table","apiVersion":"meta.k8s.io/${output.metaVersion}","metadata":${JSON.stringify(metadata)},"columnDefinitions":${definitions},"rows":[`;
}

function columnDefinitions(version: ServedVersion): string {
  let text = definitionTexts.get(version);
  if (text === undefined) {
    const announced = columnsOf(version).filter(({ unannounced }) => !unannounced);
    const definitions = announced.map(({ name, type, format = '', description, priority = 0 }) => ({
      name,
      type,
      format,
      description,
      priority,
    }));
    text = JSON.stringify(definitions);
    definitionTexts.set(version, text);
  }
  return text;
}

const rowEnd = Buffer.from('}}');
const objectEnd = Buffer.from('}');
const nullObject = Buffer.from('null}');

/** A row in pieces, which saves a copy of the object's bytes. */
export function tableRow(entry: CacheEntry, request: Represented, output: Output, policy: IncludeObject, now: number): Buffer[] {
  const { resource, version } = request;
  const cells = Buffer.from(`{"cells":${cellsOf(entry, version, columnsOf(version), now)},"object":`);
  if (policy === 'None') return [cells, nullObject];
  if (policy === 'Object') return [cells, bytesIn(entry, resource, version), objectEnd];
  const { start, end } = metadataSpanOf(entry);
  return [cells, partialPrefix(output.metaVersion), entry.value.subarray(start, end), rowEnd];
}
