import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type JsonObject, type KubeObject, mapIn, objectsIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { type TokenIssuer, tokenRequests } from '../service-account-tokens/token-request.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.ServiceAccount'),
  columns: [nameColumn, ageColumn],
};

/** Without an issuer, token requests are rejected. */
export function serviceAccount(issuer?: TokenIssuer): Resource {
  return { ...resource, subresources: { token: tokenRequests(issuer) } };
}

const resource: Resource = {
  names: {
    plural: 'serviceaccounts',
    singular: 'serviceaccount',
    kind: 'ServiceAccount',
    listKind: 'ServiceAccountList',
    shortNames: ['sa'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/serviceaccounts',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    warnings: (object, old) => (isEnforced(object) && !isEnforced(old) ? [enforcementWarning] : []),
  },
};

/** Drops all fields of secret references but the name. */
function keepSecretNames(object: KubeObject): void {
  if (object.secrets === undefined) return;
  object.secrets = objectsIn(object, 'secrets').map(({ name }): JsonObject => (name ? { name } : {}));
}

const enforcement = 'kubernetes.io/enforce-mountable-secrets';
const enforcementWarning = `metadata.annotations[${enforcement}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

function isEnforced(object: KubeObject | undefined): boolean {
  return object !== undefined && mapIn(object.metadata, 'annotations')[enforcement] !== undefined;
}
