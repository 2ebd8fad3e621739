import { apiVersionOf, type Field, type JsonObject, type JsonValue, type KubeObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { isTrue } from '../../http/request-info.ts';
import type { AdmissionBody } from '../../registry/admission.ts';
import { admissionAttributes } from '../../registry/admission-attributes.ts';
import type { Subresource } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { writeContext } from '../decoding/write-options.ts';

/** Connects to the backend. */
export type Connect = (request: ResourceRequest) => Promise<Answer>;

/** A subresource that connects to a backend, such as exec. Admission sees the options in the query, of the given kind, first. */
export function connectSubresource(body: AdmissionBody, connectMethods: readonly string[], connect: Connect): Subresource {
  const { group, version, kind } = body;
  return {
    kind: { group, version, kind },
    connectMethods,
    verbs: {
      async connect(request) {
        if (request.query.has('dryRun')) throw StatusError.badRequest('dryRun is not supported');
        await admit(request, body);
        return connect(request);
      },
    },
  };
}

/** Changes of the options by admission have no effect, because the backend gets the query of the client. */
async function admit(request: ResourceRequest, body: AdmissionBody): Promise<void> {
  const { objects, resource, info } = request;
  const context = writeContext(request, false, null);
  const admitted = { name: info.name, object: optionsOf(request, body), oldObject: undefined, body };
  await objects.services.admission.mutate(admissionAttributes('CONNECT', resource, admitted, context));
  await objects.services.admission.validate(admissionAttributes('CONNECT', resource, admitted, context));
}

/** The options in the query as an object. They have no metadata. */
function optionsOf(request: ResourceRequest, { group, version, kind, schema }: AdmissionBody): KubeObject {
  const options: JsonObject = { kind, apiVersion: apiVersionOf({ group, version }) };
  for (const field of schema.catalogue.get(schema.type).fields.values()) {
    if (field.name === 'kind' || field.name === 'apiVersion') continue;
    const value = field.name === 'path' ? subpathOf(request) : valueIn(request.query, field);
    if (value) options[field.name] = value;
    else if (field.required) options[field.name] = null;
  }
  return options as KubeObject;
}

/** The path behind the subresource. */
export function subpathOf({ info, path }: ResourceRequest): string {
  const rest = info.parts.slice(3).join('/');
  const subpath = rest === '' || rest.startsWith('/') ? rest : `/${rest}`;
  return path.endsWith('/') && !subpath.endsWith('/') ? `${subpath}/` : subpath;
}

/** The value of a parameter; undefined if it is absent or the zero value of its type. */
function valueIn(query: URLSearchParams, { name, type }: Field): JsonValue | undefined {
  const values = query.getAll(name);
  const [first] = values;
  if (first === undefined) return undefined;
  if (type.is === 'boolean') return isTrue(first) || undefined;
  if (type.is !== 'list') return first || undefined;
  return type.of.is === 'int32' ? values.flatMap((value) => value.split(',').map(portOf)) : values;
}

const maxPort = 65_535;

function portOf(text: string): number {
  const problem = /^\d+$/.test(text) ? Number(text) <= maxPort || 'value out of range' : 'invalid syntax';
  if (problem === true) return Number(text);
  throw StatusError.badRequest(`cannot convert to []int32: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${problem}`);
}
