import { FieldErrors, type FieldType, type JsonObject, objectsIn, path, textIn, textsIn } from '@tsukube/machinery';
import {
  configurationType,
  decodeConfiguration,
  stringFieldType,
  stringListFieldType,
  unregistered,
} from '../common/configuration.ts';
import { type ScopeRequirement, scopeRequirements } from './scopes.ts';

/** A resource whose consumption needs a quota that covers it. */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Parts of resource names; a consumed resource with one of them in its name needs a quota. */
  readonly matchContains: readonly string[];
  readonly matchScopes: readonly ScopeRequirement[];
}

/** The limited resources of the plugin's configuration. Throws with the messages of kube-apiserver. */
export function limitedResources(given: JsonObject | undefined): readonly LimitedResource[] {
  if (!given) return [];
  const resources = objectsIn(decode(given), 'limitedResources');
  const errors = new FieldErrors();
  for (const [i, limited] of resources.entries())
    if (textIn(limited, 'resource') === '') errors.required(path('limitedResources').index(i).child('resource'), '');
  if (errors.length > 0) throw new Error(errors.toString());
  return resources.map((limited) => ({
    group: textIn(limited, 'apiGroup'),
    resource: textIn(limited, 'resource'),
    matchContains: textsIn(limited, 'matchContains'),
    matchScopes: scopeRequirements(objectsIn(limited, 'matchScopes')),
  }));
}

const kinds = new Map([
  ['apiserver.config.k8s.io/v1', 'ResourceQuotaConfiguration'],
  ['resourcequota.admission.k8s.io/v1beta1', 'Configuration'],
  ['resourcequota.admission.k8s.io/v1alpha1', 'Configuration'],
]);

function listOf(ref: string): FieldType {
  return { is: 'list', of: { is: 'object', ref: `v1.${ref}` } };
}

const types = [
  configurationType('Configuration', {
    apiVersion: stringFieldType,
    kind: stringFieldType,
    limitedResources: listOf('LimitedResource'),
  }),
  configurationType('LimitedResource', {
    apiGroup: stringFieldType,
    resource: stringFieldType,
    matchContains: stringListFieldType,
    matchScopes: listOf('ScopedResourceSelectorRequirement'),
  }),
  configurationType('ScopedResourceSelectorRequirement', {
    scopeName: stringFieldType,
    operator: stringFieldType,
    values: stringListFieldType,
  }),
] as const;

const scheme = 'k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31';

function decode(given: JsonObject): JsonObject {
  const [apiVersion, kind] = [textIn(given, 'apiVersion'), textIn(given, 'kind')];
  if (kinds.get(apiVersion) !== kind) throw new Error(unregistered(kind, apiVersion, scheme));
  return decodeConfiguration(given, types);
}
