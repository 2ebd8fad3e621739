import { createHash } from 'node:crypto';
import type { JsonObject } from '@tsukube/machinery';
import {
  bearerToken,
  byPath,
  type DocumentInfo,
  type OpenApiOperation,
  type Path,
  type RequestBody,
  type Response,
  reasons,
  referencedTypes,
  splitParameters,
} from './operation.ts';
import type { Parameter } from './parameter.ts';
import { gvkObject, refTo, swagger2 } from './schema.ts';
import { collectInSlices } from './served-document.ts';
import type { TypeIndex } from './type-index.ts';
import { deleteOptionsType, patchType } from './well-known-types.ts';

/**
 * The OpenAPI 2 document, generated lazily in pieces, because all of it as objects would be large. Definitions are known after
 * the paths.
 */
export interface Swagger2Document {
  readonly head: JsonObject;
  paths(): Iterable<NamedPiece>;
  definitions(): Iterable<NamedPiece>;
  parameters(): JsonObject;
}

export type NamedPiece = readonly [name: string, piece: JsonObject];

export function swagger2Document(topics: Iterable<readonly Path[]>, types: TypeIndex, info: DocumentInfo): Swagger2Document {
  const parameters = new SharedParameters();
  const used = new Set<string>();
  return {
    head: {
      swagger: '2.0',
      info: { ...info },
      securityDefinitions: { BearerToken: bearerToken },
      security: [{ BearerToken: [] }],
    },
    *paths() {
      for (const paths of topics) {
        for (const type of referencedTypes(paths)) used.add(type);
        for (const path of [...paths].sort(byPath)) yield [path.path, pathItem(path, parameters)];
      }
    },
    *definitions() {
      for (const name of types.reachableFrom(used)) yield [name, types.schema(name, swagger2)];
    },
    parameters: () => parameters.all(),
  };
}

/** The document's JSON text, open for more paths and definitions. */
export interface Swagger2Text {
  readonly head: string;
  /** JSON texts by name. */
  readonly paths: ReadonlyMap<string, string>;
  readonly definitions: ReadonlyMap<string, string>;
  readonly parameters: JsonObject;
}

export async function swagger2Text(document: Swagger2Document): Promise<Swagger2Text> {
  return {
    head: JSON.stringify(document.head).slice(0, -1),
    paths: await pieceTexts(document.paths()),
    definitions: await pieceTexts(document.definitions()),
    parameters: document.parameters(),
  };
}

async function pieceTexts(pieces: Iterable<NamedPiece>): Promise<ReadonlyMap<string, string>> {
  return new Map(await collectInSlices(encoded(pieces)));
}

function* encoded(pieces: Iterable<NamedPiece>): Iterable<readonly [string, string]> {
  for (const [name, piece] of pieces) yield [name, JSON.stringify(piece)];
}

/** Collects parameters that several operations share. */
class SharedParameters {
  readonly #parameters = new Map<string, JsonObject>();
  readonly #references = new Map<string, JsonObject>();

  reference(key: string, name: string, create: () => JsonObject): JsonObject {
    const known = this.#references.get(key);
    if (known) return known;
    const parameter = create();
    const hash = createHash('sha256').update(JSON.stringify(parameter)).digest('base64url').slice(0, 8);
    this.#parameters.set(`${name}-${hash}`, parameter);
    const reference = { $ref: `#/parameters/${name}-${hash}` };
    this.#references.set(key, reference);
    return reference;
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#parameters].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function pathItem(path: Path, known: SharedParameters): JsonObject {
  const { shared, of } = splitParameters(path);
  const operations = path.operations.map((each) => [each.method, operationObject(each, of(each), known)] as const);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length > 0 && { parameters: shared.map((parameter) => parameterItem(parameter, known)) }),
  };
}

function operationObject(operation: OpenApiOperation, own: readonly Parameter[], known: SharedParameters): JsonObject {
  const { description, consumes, produces, tag, id, body, responses, action, gvk } = operation;
  const parameters = [...(body ? [bodyItem(body, known)] : []), ...own.map((parameter) => parameterItem(parameter, known))];
  return {
    description,
    consumes: [...consumes],
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...(parameters.length > 0 && { parameters }),
    responses: {
      ...Object.fromEntries(responses.map((response) => [response.code, responseObject(response)])),
      401: { description: 'Unauthorized' },
    },
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': gvkObject(gvk) }),
  };
}

function responseObject({ code, type }: Response): JsonObject {
  return { description: reasons[code] ?? '', schema: type === undefined ? { type: 'string' } : refTo(type, swagger2) };
}

/** Old versions of kubectl expect these parameters inline. */
const inlined: ReadonlySet<string> = new Set(['dryRun', 'fieldValidation', 'name']);

function parameterItem(parameter: Parameter, known: SharedParameters): JsonObject {
  const { name, in: place, description, type } = parameter;
  const create = () => ({ uniqueItems: true, type, description, name, in: place, ...(place === 'path' && { required: true }) });
  return inlined.has(name) ? create() : known.reference(`${place} ${name}`, name, create);
}

function bodyItem({ type, required }: RequestBody, known: SharedParameters): JsonObject {
  const create = () => ({ name: 'body', in: 'body', ...(required && { required }), schema: refTo(type, swagger2) });
  return type === deleteOptionsType || type === patchType ? known.reference(`body ${type}`, 'body', create) : create();
}
