import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';
import {
  authorizerValue,
  type Bindings,
  type CelAuthorizer,
  type CelValue,
  dynamicJson,
  resourceCheckValue,
} from '@tsukube/machinery/cel';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { ServedVersion } from '../../registry/resource.ts';
import { requestDescription } from '../admission-request.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';

/** Values of the variables of an expression. */
export interface ExpressionInputs {
  readonly versioned: VersionedAttributes;
  /** The version in `request.resource`. */
  readonly resourceVersion: ServedVersion;
  /** Null if the policy has parameters and the binding none. */
  readonly params?: JsonObject | null;
  /** Null for cluster-scoped objects. */
  readonly namespace: JsonObject | null;
  /** Undefined where expressions have no `authorizer`. */
  readonly authorizer?: CelAuthorizer | undefined;
}

/** Bindings of the variables, converted when they are first read. */
export function bindingsOf(inputs: ExpressionInputs): Bindings {
  const { versioned, params = null, namespace, authorizer } = inputs;
  const { attributes, object, oldObject } = versioned;
  return {
    object: () => dynamicJson(object ?? null),
    oldObject: () => dynamicJson(oldObject ?? null),
    request: once(() => dynamicJson(admissionRequest(inputs))),
    namespaceObject: () => dynamicJson(namespace),
    params: () => dynamicJson(params),
    ...(authorizer && {
      authorizer: () => authorizerValue(authorizer),
      'authorizer.requestResource': () => requestResource(authorizer, attributes),
    }),
  };
}

function once(make: () => CelValue): () => CelValue {
  let value: CelValue | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

function requestResource(authorizer: CelAuthorizer, attributes: AdmissionAttributes): CelValue {
  const { version, resource, subresource, namespace, name } = attributes;
  const question = { group: version.group, resource: resource.names.plural, subresource, namespace, name };
  return resourceCheckValue(authorizer, question);
}

function admissionRequest({ versioned, resourceVersion }: ExpressionInputs): JsonObject {
  const { dryRun, options } = versioned.attributes;
  return { uid: '', ...requestDescription(versioned, resourceVersion), dryRun, options: options() ?? null };
}

const namespaceFields: ReadonlySet<string> = new Set([
  ...['name', 'generateName', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'],
  ...['deletionGracePeriodSeconds', 'labels', 'annotations', 'finalizers'],
]);

/** The part of a Namespace that validations and mutations see, as `namespaceObject`. */
export function visibleNamespace({ metadata, spec = {}, status = {} }: JsonObject): JsonObject {
  const fields = Object.entries(isObject(metadata) ? metadata : {}).filter(([key]) => namespaceFields.has(key));
  return { metadata: Object.fromEntries(fields) as { [key: string]: JsonValue }, spec, status };
}
