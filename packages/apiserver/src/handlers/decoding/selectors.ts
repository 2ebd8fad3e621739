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

/** The objects that a list or watch selects. */
export interface Selection {
  /** Equal for requests that select the same objects. */
  readonly text: string;
  /** Undefined if all objects match. */
  readonly matches: ((entry: CacheEntry) => boolean) | undefined;
  /** The only name that can match, if metadata.name is selected. */
  readonly name: string | undefined;
}

const everything: Selection = { text: '', matches: undefined, name: undefined };

/** Throws BadRequest if a selector does not parse or names a field that is not selectable. */
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

/** The deprecated watch of a single object has its name in the path. */
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
