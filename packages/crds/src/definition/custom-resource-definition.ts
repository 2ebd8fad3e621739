import { builtinTypes } from '@tsukube/api';
import {
  type DeletionPlan,
  defaultWebhookService,
  plainColumns,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  ensureObject,
  fillIn,
  formatTime,
  type JsonObject,
  metadataOf,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateDefinition, validateDefinitionStatus } from '../validation/definition.ts';
import { definitionWarnings } from '../validation/warnings.ts';
import { formSchemas } from './nested-schemas.ts';

const type = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition';

const v1: ServedVersion = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  schema: { catalogue: builtinTypes, type, listType: `${type}List` },
  columns: plainColumns,
};

export const customResourceDefinition: Resource = {
  compilesTexts: true,
  names: {
    plural: 'customresourcedefinitions',
    singular: 'customresourcedefinition',
    kind: 'CustomResourceDefinition',
    listKind: 'CustomResourceDefinitionList',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/apiextensions.k8s.io/customresourcedefinitions',
  // Patterns and rules are compiled, which takes much longer than reading a value.
  writeCost: 8,
  hub: v1,
  hashedVersion: 'v1beta1',
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource((object, _old, errors) => validateDefinitionStatus(object, errors), {
      generation: false,
      // Labels, annotations and finalizers can be written through it, too.
      resetFields: { 'f:spec': {} },
    }),
  },
  strategy: {
    generation: true,
    allowUnconditionalUpdate: false,
    validateName: nameIsDNSSubdomain,
    applyDefaults,
    prepareForCreate(object) {
      object.status = emptyStatus();
      rememberStoredVersion(object);
    },
    prepareForUpdate(object, old) {
      object.status = structuredClone(old.status) ?? emptyStatus();
      rememberStoredVersion(object);
    },
    validateCreate: (object, errors, { legacy = false }) => validateDefinition(object, undefined, legacy, errors),
    validateUpdate: (object, old, errors, { legacy = false }) => validateDefinition(object, old, legacy, errors),
    warnings: definitionWarnings,
    beginDelete: beginDefinitionDeletion,
  },
};

function emptyStatus(): JsonObject {
  return { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
}

function applyDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  formSchemas(spec);
  const names = ensureObject(spec, 'names');
  const kind = textIn(names, 'kind');
  if (kind !== '') fillIn(names, 'singular', kind.toLowerCase());
  if (kind !== '') fillIn(names, 'listKind', `${kind}List`);
  const conversion = ensureObject(spec, 'conversion');
  if (Object.keys(conversion).length === 0) conversion.strategy = 'None';
  defaultWebhookService(objectIn(objectIn(conversion, 'webhook'), 'clientConfig'));
  const status = ensureObject(object, 'status');
  if (textsIn(status, 'storedVersions').length === 0) rememberStoredVersion(object);
}

/** Objects may lie in the store in every version that was ever the stored one. */
function rememberStoredVersion(object: JsonObject): void {
  const stored = objectsIn(objectIn(object, 'spec'), 'versions').find(({ storage }) => storage === true);
  if (!stored) return;
  const status = ensureObject(object, 'status');
  const versions = textsIn(status, 'storedVersions');
  const name = textIn(stored, 'name');
  if (!versions.includes(name)) status.storedVersions = [...versions, name];
}

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** The objects of a definition go first: until they have, it is held and says so. */
export function beginDefinitionDeletion(object: JsonObject): DeletionPlan {
  const metadata = metadataOf(object);
  if (metadata.deletionTimestamp !== undefined) return { kind: 'now' };
  const now = formatTime(Date.now());
  metadata.deletionTimestamp = now;
  const finalizers = textsIn(metadata, 'finalizers');
  if (!finalizers.includes(cleanup)) metadata.finalizers = [...finalizers, cleanup];
  markTerminating(object, now);
  return { kind: 'marked' };
}

function markTerminating(object: JsonObject, now: string): void {
  const status = ensureObject(object, 'status');
  const others = objectsIn(status, 'conditions').filter(({ type }) => type !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  status.conditions = [...others, terminating];
}
