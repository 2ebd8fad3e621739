import {
  type FieldSelector,
  goQuote,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  StatusError,
} from '@tsukube/machinery';
import { fieldsOf, labelsOf } from '../../registry/derived.ts';
import type { Resource, ServedVersion } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';

/** Which objects a list or a watch is about. */
export interface Selection {
  /** Tells requests for the same objects from others. */
  readonly text: string;
  /** Undefined if every object is meant. */
  readonly matches: ((entry: CacheEntry) => boolean) | undefined;
  /** The one name that can match, if there is one. */
  readonly name: string | undefined;
}

const everything: Selection = { text: '', matches: undefined, name: undefined };

/** Fails with 400 on selectors that do not parse or name fields that cannot be asked for. */
export function selectionOf(request: ResourceRequest): Selection {
  if (request.info.verb === 'watch' && request.info.parts.length > 1) return onlyNamed(request);
  if (!request.exchange.url.includes('elector=')) return everything;
  const labels = parse(request.query.get('labelSelector'), parseLabelSelector);
  const fields = parse(request.query.get('fieldSelector'), parseFieldSelector);
  if (fields) checkFields(fields, request.version);
  if (!labels && !fields) return everything;
  return {
    text: `${labels ?? ''}\n${fields ?? ''}`,
    matches: matcher(labels, fields, request.resource, request.version),
    name: fields?.requiresExactMatch('metadata.name'),
  };
}

/** The deprecated watch of a single object names it in the path. */
function onlyNamed({ info, resource, version }: ResourceRequest): Selection {
  const matches = (entry: CacheEntry) => fieldsOf(entry, resource, version)['metadata.name'] === info.name;
  return { text: `name=${info.name}`, matches, name: info.name };
}

function parse<T extends { readonly everything: boolean }>(text: string | null, parser: (text: string) => T): T | undefined {
  if (!text) return undefined;
  const selector = parser(text);
  return selector.everything ? undefined : selector;
}

function matcher(
  labels: LabelSelector | undefined,
  fields: FieldSelector | undefined,
  resource: Resource,
  version: ServedVersion,
): (entry: CacheEntry) => boolean {
  return (entry) => {
    if (labels && !labels.matches(labelsOf(entry))) return false;
    if (!fields) return true;
    const values = fieldsOf(entry, resource, version);
    return fields.matches((field) => values[field] ?? '');
  };
}

function checkFields(fields: FieldSelector, version: ServedVersion): void {
  for (const { field } of fields.requirements) {
    if (field === 'metadata.name' || field === 'metadata.namespace') continue;
    if (version.selectableFields && Object.hasOwn(version.selectableFields, field)) continue;
    throw StatusError.badRequest(unknownField(field, version));
  }
}

function unknownField(field: string, version: ServedVersion): string {
  if (version.unknownField) return version.unknownField(field);
  if (version.selectableFields) return `field label not supported: ${field}`;
  return `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
