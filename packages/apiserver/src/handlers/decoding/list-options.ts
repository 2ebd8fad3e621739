import {
  FieldErrors,
  type FieldSelector,
  goQuote,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  path,
  StatusError,
} from '@tsukube/machinery';
import { isTrue } from '../../http/request-info.ts';
import { fieldsOf, labelsOf } from '../../registry/derived.ts';
import type { Resource, ServedVersion } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';

/** ListOptions, decoded and checked. */
export interface DecodedListOptions {
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly limit: number;
  readonly continue: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const none: DecodedListOptions = {
  resourceVersion: '',
  match: '',
  limit: 0,
  continue: '',
  timeoutSeconds: undefined,
  allowBookmarks: false,
  sendInitialEvents: undefined,
};

/** Throws 400 for unparsable values and 422 for invalid combinations. */
export function listOptions(request: ResourceRequest, watch: boolean): DecodedListOptions {
  if (!request.exchange.url.includes('?')) return none;
  const { query } = request;
  const initial = query.get('sendInitialEvents');
  const options = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: (query.get('resourceVersionMatch') ?? '') as DecodedListOptions['match'],
    limit: integer(query.get('limit')) ?? 0,
    continue: query.get('continue') ?? '',
    timeoutSeconds: integer(query.get('timeoutSeconds')),
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
  };
  const errors = new FieldErrors();
  if (watch) validateWatch(options, errors);
  else validateList(options, errors);
  if (errors.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

function integer(text: string | null): number | undefined {
  if (text === null || text === '') return undefined;
  const problem = /^[+-]?\d+$/.test(text) ? outOfRange(text) : 'invalid syntax';
  if (problem !== undefined) throw StatusError.badRequest(`strconv.ParseInt: parsing ${goQuote(text)}: ${problem}`);
  return Number(text);
}

/** As Go reports an integer of more than 64 bits. */
function outOfRange(text: string): string | undefined {
  const digits = text.replace(/^[+-]?0*/, '');
  const most = text.startsWith('-') ? '9223372036854775808' : '9223372036854775807';
  const isTooLarge = digits.length > most.length || (digits.length === most.length && digits > most);
  return isTooLarge ? 'value out of range' : undefined;
}

const matchField = path('resourceVersionMatch');

function validateList(options: DecodedListOptions, errors: FieldErrors): void {
  const match: string = options.match;
  if (match !== '') {
    if (options.resourceVersion === '')
      errors.forbidden(matchField, 'resourceVersionMatch is forbidden unless resourceVersion is provided');
    if (options.continue !== '') errors.forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided');
    if (match !== 'Exact' && match !== 'NotOlderThan') errors.notSupported(matchField, match, ['Exact', 'NotOlderThan', '']);
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
    }
  }
  if (options.sendInitialEvents !== undefined)
    errors.forbidden(path('sendInitialEvents'), 'sendInitialEvents is forbidden for list');
}

function startsWithState({ resourceVersion }: DecodedListOptions): boolean {
  return resourceVersion === '' || resourceVersion === '0';
}

function validateWatch(options: DecodedListOptions, errors: FieldErrors): void {
  const match: string = options.match;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.forbidden(matchField, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  }
  // kube-apiserver treats a watch without a version as a streaming list before it validates.
  if (match === '' && options.continue !== '' && options.sendInitialEvents === undefined && startsWithState(options))
    errors.forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided');
  if (match === '') return;
  if (options.sendInitialEvents === undefined)
    errors.forbidden(matchField, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided');
  if (match !== 'NotOlderThan') errors.notSupported(matchField, match, ['NotOlderThan']);
  if (options.continue !== '') errors.forbidden(matchField, 'resourceVersionMatch is forbidden when continue is provided');
}

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
