import type { ApiResource, ApiVersion } from '../discovery/api-group.ts';
import type { Operation, Path } from './operation.ts';
import { getting, listing, type Parameter } from './parameter.ts';
import { resourcePaths } from './resource-paths.ts';

const documents = ['application/json', 'application/yaml'];
const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** The paths of a resource that brings its own schema: without the old watch paths, and without protobuf. */
export function customPaths(version: ApiVersion, resource: ApiResource): readonly Path[] {
  return resourcePaths(version, resource)
    .filter(({ path }) => !path.startsWith(`/apis/${version.groupVersion}/watch/`))
    .map(({ path, operations }) => ({ path, operations: operations.map((each) => asCustom(each, resource)) }));
}

function asCustom(operation: Operation, { kind }: ApiResource): Operation {
  const isCollection = operation.action === 'deletecollection';
  const { body } = operation;
  return {
    ...operation,
    gvk: kind,
    description: operation.action === 'list' ? `list objects of kind ${kind.kind}` : operation.description,
    consumes: operation.method === 'patch' ? patches : documents,
    produces: documents,
    responses: operation.method === 'patch' ? operation.responses.filter(({ code }) => code === 200) : operation.responses,
    body: isCollection ? undefined : body,
    parameters: parametersOf(operation),
  };
}

function parametersOf({ action, parameters }: Operation): readonly Parameter[] {
  if (action === 'get') return [...getting, ...parameters];
  if (action !== 'deletecollection') return parameters;
  return [...listing, ...parameters.filter(({ in: place, name }) => place === 'path' || name === 'pretty')];
}
