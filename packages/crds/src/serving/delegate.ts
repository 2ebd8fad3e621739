import {
  asResourceRequest,
  type Delegate,
  type IncomingRequest,
  pageNotFound,
  type ServingContext,
  serveVerb,
  type Verbs,
} from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { type Definition, servesObjects } from '../definition/definition.ts';
import type { Definitions } from '../definition/definitions.ts';
import { definitionOf } from '../definition/read-definition.ts';
import type { CustomResources } from './custom-resources.ts';
import type { Serving } from './serving.ts';

export interface CustomDelegateOptions extends Omit<ServingContext, 'shutdown'> {
  /** Built-in resources take precedence over definitions of the same name. */
  readonly isBuiltIn: (group: string, version: string, resource: string) => boolean;
}

/** Serves custom resources: finds the definition by group and plural and runs the handler of the verb. */
export function customResourceDelegate(
  definitions: Definitions,
  resources: CustomResources,
  options: CustomDelegateOptions,
): Delegate {
  return function serveCustomResource(request) {
    const { info } = request;
    if (!info.isResource || info.group === '') return undefined;
    const entry = definitions.find(info.group, info.resource);
    if (!entry) return undefined;
    const definition = definitionOf(entry);
    if (!isFor(request, definition) || options.isBuiltIn(info.group, info.version, info.resource)) return undefined;
    const serving = resources.servingOf(entry);
    return serving && serve(request, serving, options);
  };
}

/**
 * The last delegate: for resources that no other one serves. Another server may have established their definition, which has not
 * reached this one yet.
 */
export function lateDefinitionDelegate(definitions: Definitions, serveCustomResource: Delegate): Delegate {
  const serveOrNotFound = (request: IncomingRequest) => serveCustomResource(request) ?? pageNotFound();
  return function serveLateDefinition(request) {
    if (!request.info.isResource || request.info.group === '') return undefined;
    // If the store does not answer, what is known decides.
    return definitions.fresh()?.then(
      () => serveOrNotFound(request),
      () => serveOrNotFound(request),
    );
  };
}

/** Whether scope and version of the request match the definition. */
function isFor({ info }: IncomingRequest, definition: Definition): boolean {
  const inNamespace = info.namespace !== '';
  if (definition.scope === 'Cluster' ? inNamespace : !inNamespace && !isForAll(info.verb)) return false;
  return definition.versions.some(({ name, served }) => served && name === info.version) && servesObjects(definition);
}

function isForAll(verb: string): boolean {
  return verb === 'list' || verb === 'watch';
}

function serve(request: IncomingRequest, serving: Serving, options: CustomDelegateOptions): ReturnType<Delegate> {
  const { info } = request;
  const objects = serving.objects(info.version);
  const { resource } = objects;
  const { hub: version } = resource;
  const qualified = { group: info.group, resource: info.resource };
  if (version.deprecationWarning) request.warn(version.deprecationWarning);
  const subresource = info.subresource === '' ? undefined : resource.subresources?.[info.subresource];
  if (info.subresource !== '' && !subresource) throw StatusError.notFound(qualified, info.name);
  const handler = ((subresource ?? resource).verbs as Verbs)[info.verb as keyof Verbs];
  if (!handler || info.verb === 'connect') throw StatusError.methodNotSupported(qualified, info.verb);
  if (info.name === '' && (info.verb === 'update' || info.verb === 'patch'))
    throw StatusError.badRequest('name must be provided');
  const { objectsOf, minWatchSeconds, heavy, memory } = options;
  const { shutdown } = serving;
  const context = { objectsOf, minWatchSeconds, heavy, memory, shutdown };
  return serveVerb(handler, asResourceRequest(request, { resource, version, subresource, objects }, context));
}
