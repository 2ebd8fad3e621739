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
  effectiveFormat,
  ensureObject,
  fillIn,
  formatTime,
  goQuote,
  type JsonObject,
  metadataOf,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  someSchema,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateDefinition, validateDefinitionStatus } from '../validation/definition.ts';
import { schemaIn, splitSharedFields } from '../validation/shared-fields.ts';
import { cleanupFinalizer } from './definition.ts';
import { normalizeSchemas } from './nested-schemas.ts';

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
  // Validation compiles patterns and CEL rules.
  writeCost: 8,
  hub: v1,
  hashedVersion: 'v1beta1',
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource((object, _old, errors) => validateDefinitionStatus(object, errors), {
      generation: false,
      // As in Kubernetes, /status also updates labels, annotations and finalizers.
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
      addStoredVersion(object);
    },
    prepareForUpdate(object, old) {
      object.status = structuredClone(old.status) ?? emptyStatus();
      addStoredVersion(object);
    },
    validateCreate: (object, errors, { legacy = false }) => validateDefinition(object, undefined, legacy, errors),
    validateUpdate: (object, old, errors, { legacy = false }) => validateDefinition(object, old, legacy, errors),
    warnings: definitionWarnings,
    uidPrecondition: true,
    beginDelete: beginDefinitionDeletion,
  },
};

function emptyStatus(): JsonObject {
  return { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: null };
}

function applyDefaults(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  normalizeSchemas(spec);
  const names = ensureObject(spec, 'names');
  const kind = textIn(names, 'kind');
  if (kind !== '') fillIn(names, 'singular', kind.toLowerCase());
  if (kind !== '') fillIn(names, 'listKind', `${kind}List`);
  const conversion = ensureObject(spec, 'conversion');
  if (Object.keys(conversion).length === 0) conversion.strategy = 'None';
  defaultWebhookService(objectIn(objectIn(conversion, 'webhook'), 'clientConfig'));
  const status = ensureObject(object, 'status');
  if (textsIn(status, 'storedVersions').length === 0) addStoredVersion(object);
}

/** status.storedVersions lists every version that was ever the storage version. */
function addStoredVersion(object: JsonObject): void {
  const stored = objectsIn(objectIn(object, 'spec'), 'versions').find(({ storage }) => storage === true);
  if (!stored) return;
  const status = ensureObject(object, 'status');
  const versions = textsIn(status, 'storedVersions');
  const name = textIn(stored, 'name');
  if (!versions.includes(name)) status.storedVersions = [...versions, name];
}

/** Adds the finalizer that holds the definition until its objects are deleted, and the condition Terminating. */
function beginDefinitionDeletion(object: JsonObject): DeletionPlan {
  const metadata = metadataOf(object);
  if (metadata.deletionTimestamp !== undefined) return { kind: 'now' };
  const now = formatTime(Date.now());
  metadata.deletionTimestamp = now;
  const finalizers = textsIn(metadata, 'finalizers');
  if (!finalizers.includes(cleanupFinalizer)) metadata.finalizers = [...finalizers, cleanupFinalizer];
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

/** Warns of unrecognized formats that the update adds. */
function definitionWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const before = new Set(old && unknownFormats(old));
  return unknownFormats(object)
    .filter((format) => !before.has(format))
    .map((format) => `unrecognized format ${goQuote(format)}`);
}

function unknownFormats(object: JsonObject): readonly string[] {
  const { shared, versions } = splitSharedFields(objectIn(object, 'spec') ?? {});
  return [shared, ...versions].flatMap((owner) => unknownFormatsIn(schemaIn(owner)));
}

function unknownFormatsIn(schema: JsonObject | undefined): readonly string[] {
  const formats: string[] = [];
  someSchema(schema, (each) => {
    const format = textIn(each, 'format');
    if (format !== '' && effectiveFormat(format, textIn(each, 'type')) === '') formats.push(format);
    return false;
  });
  return formats;
}
