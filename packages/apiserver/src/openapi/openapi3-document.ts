import type { JsonObject } from '@tsukube/machinery';
import type { ApiVersion } from '../discovery/api-group.ts';
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
import { openApi3, refTo } from './schema.ts';
import type { TypeIndex } from './type-index.ts';

/** The JSON text of an OpenAPI 3 document; `near` is the group version of the paths. */
export function openApi3Document(paths: readonly Path[], types: TypeIndex, info: DocumentInfo, near?: ApiVersion): string {
  const isNear = ({ group, version }: { readonly group: string; readonly version: string }) =>
    (group === '' && version === 'v1') || (group === near?.group && version === near.version);
  const names = types.reachableFrom(referencedTypes(paths));
  const schemas = names.map((name) => `${JSON.stringify(name)}:${types.schemaText(name, openApi3, isNear)}`);
  const pathItems = [...paths].sort(byPath).map((path) => `${JSON.stringify(path.path)}:${JSON.stringify(pathItem(path))}`);
  const head = JSON.stringify({ openapi: '3.0.0', info }).slice(0, -1);
  const securitySchemes = JSON.stringify({ BearerToken: bearerToken });
  const components = `{"schemas":{${schemas.join(',')}},"securitySchemes":${securitySchemes}}`;
  return `${head},"paths":{${pathItems.join(',')}},"components":${components}}`;
}

function pathItem(path: Path): JsonObject {
  const { shared, of } = splitParameters(path);
  const operations = path.operations.map((each) => [each.method, operationObject(each, of(each))] as const);
  return {
    ...Object.fromEntries(operations),
    ...(shared.length > 0 && { parameters: shared.map(parameterObject) }),
  };
}

function operationObject(operation: OpenApiOperation, parameters: readonly Parameter[]): JsonObject {
  const { tag, description, id, body, consumes, produces, responses, action, gvk } = operation;
  return {
    tags: [tag],
    description,
    operationId: id,
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
    ...(body && { requestBody: requestBody(body, consumes) }),
    responses: {
      ...Object.fromEntries(responses.map((response) => [response.code, responseObject(response, produces)])),
      401: { description: 'Unauthorized' },
    },
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(gvk && { 'x-kubernetes-group-version-kind': { group: gvk.group, version: gvk.version, kind: gvk.kind } }),
  };
}

function parameterObject({ name, in: place, description, type }: Parameter): JsonObject {
  return { name, in: place, description, ...(place === 'path' && { required: true }), schema: { type, uniqueItems: true } };
}

function requestBody({ type, required }: RequestBody, consumes: readonly string[]): JsonObject {
  return { content: content(consumes, refTo(type, openApi3)), ...(required && { required }) };
}

function responseObject({ code, type }: Response, produces: readonly string[]): JsonObject {
  const schema = type === undefined ? { type: 'string' } : refTo(type, openApi3);
  return { description: reasons[code] ?? '', content: content(produces, schema) };
}

function content(mediaTypes: readonly string[], schema: JsonObject): JsonObject {
  return Object.fromEntries([...mediaTypes].sort().map((mediaType) => [mediaType, { schema }]));
}
