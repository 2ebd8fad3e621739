import type { ApiResource } from '../discovery/api-group.ts';
import { anyMedia, type Method, patchMedia, type RequestBody, type Response, upperFirst, watchMedia } from './operation.ts';
import { deleting, deletingMany, listing, type Parameter, patching, writing } from './parameter.ts';
import { deleteOptionsType, patchType, statusType, watchEventType } from './well-known-types.ts';

/** An operation of a resource, without its path and API group. */
export interface VerbOperation {
  readonly method: Method;
  /** Parts of the operation ID around group and version: `list` and `NamespacedLease`. */
  readonly id: readonly [verb: string, rest: string];
  readonly description: string;
  readonly action: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: RequestBody;
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly responses: readonly Response[];
}

/** The operations whose verb is served. */
export function served(verbs: readonly string[], operations: Readonly<Record<string, VerbOperation>>): readonly VerbOperation[] {
  return Object.entries(operations).flatMap(([verb, operation]) => (verbs.includes(verb) ? [operation] : []));
}

export function listOperation({ kind: { kind }, served: { schema }, verbs }: ApiResource, rest: string): VerbOperation {
  return {
    method: 'get',
    id: ['list', rest],
    description: `list ${verbs.includes('watch') ? 'or watch ' : ''}objects of kind ${kind}`,
    action: 'list',
    parameters: listing,
    produces: watchMedia,
    responses: [{ code: 200, type: schema.listType }],
  };
}

export function deleteCollectionOperation(kind: string, rest: string): VerbOperation {
  return {
    method: 'delete',
    id: ['delete', `Collection${rest}`],
    description: `delete collection of ${kind}`,
    action: 'deletecollection',
    parameters: deletingMany,
    body: { type: deleteOptionsType, required: false },
    responses: [{ code: 200, type: statusType }],
  };
}

export function createOperation(rest: string, aspect: string, kind: string, type: string): VerbOperation {
  return {
    method: 'post',
    id: ['create', rest],
    description: `create${of(aspect)}${articleOf(kind)}${kind}`,
    action: 'post',
    parameters: writing,
    body: { type, required: true },
    responses: [200, 201, 202].map((code) => ({ code, type })),
  };
}

/** Operations on an object, or on its subresource `aspect`. */
export function objectOperations(
  verbs: readonly string[],
  rest: string,
  aspect: string,
  kind: string,
  type: string,
): readonly VerbOperation[] {
  const subject = `${of(aspect)} the specified ${kind}`;
  const stored = [200, 201].map((code) => ({ code, type }));
  return served(verbs, {
    get: { method: 'get', id: ['read', rest], description: `read${subject}`, action: 'get', responses: [{ code: 200, type }] },
    update: {
      method: 'put',
      id: ['replace', rest],
      description: `replace${subject}`,
      action: 'put',
      parameters: writing,
      body: { type, required: true },
      responses: stored,
    },
    delete: {
      method: 'delete',
      id: ['delete', rest],
      description: `delete${of(aspect)}${articleOf(kind)}${kind}`,
      action: 'delete',
      parameters: deleting,
      body: { type: deleteOptionsType, required: false },
      responses: [200, 202].map((code) => ({ code, type: statusType })),
    },
    patch: {
      method: 'patch',
      id: ['patch', rest],
      description: `partially update${subject}`,
      action: 'patch',
      parameters: patching,
      body: { type: patchType, required: true },
      consumes: patchMedia,
      responses: stored,
    },
  });
}

export function connectOperations(
  methods: readonly Method[],
  rest: string,
  aspect: string,
  kind: string,
): readonly VerbOperation[] {
  return methods.map((method) => ({
    method,
    id: ['connect', `${upperFirst(method)}${rest}`],
    description: `connect ${method.toUpperCase()} requests to ${aspect} of ${kind}`,
    action: 'connect',
    produces: anyMedia,
    responses: [{ code: 200 }],
  }));
}

export function watchOperation(action: 'watch' | 'watchlist', rest: string, kind: string): VerbOperation {
  const instead = "deprecated: use the 'watch' parameter with a list operation instead";
  const description =
    action === 'watch'
      ? `watch changes to an object of kind ${kind}. ${instead}, filtered to a single item with the 'fieldSelector' parameter.`
      : `watch individual changes to a list of ${kind}. ${instead}.`;
  return {
    method: 'get',
    id: ['watch', rest],
    description,
    action,
    parameters: listing,
    produces: watchMedia,
    responses: [{ code: 200, type: watchEventType }],
  };
}

const of = (aspect: string) => (aspect === '' ? '' : ` ${aspect} of`);

/** The indefinite article with surrounding spaces; one space before a plural. */
function articleOf(noun: string): string {
  if (noun.endsWith('s') && !noun.endsWith('ss')) return ' ';
  return /^[aeiou]/i.test(noun) ? ' an ' : ' a ';
}
