import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  fieldIsImmutable,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { inclusiveRange, report } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { statusOnly } from '../common/status-only.ts';
import { validateInlineVolume } from '../core/volume/persistent-volume-validation.ts';
import { validateDriverName } from '../core/volume/volume-sources.ts';
import { parameterBytes } from './storage-class.ts';

const specType = 'io.k8s.api.storage.v1.VolumeAttachmentSpec';
const columns: readonly Column[] = [
  nameColumn,
  column('Attacher', { type: specType, field: 'attacher' }, (object) => textIn(specOf(object), 'attacher'), { format: 'name' }),
  column('PV', { type: 'io.k8s.api.storage.v1.VolumeAttachmentSource', field: 'persistentVolumeName' }, (object) =>
    textIn(objectIn(specOf(object), 'source'), 'persistentVolumeName'),
  ),
  column('Node', { type: specType, field: 'nodeName' }, (object) => textIn(specOf(object), 'nodeName')),
  column(
    'Attached',
    { type: 'io.k8s.api.storage.v1.VolumeAttachmentStatus', field: 'attached' },
    (object) => objectIn(object, 'status')?.attached === true,
    { type: 'boolean' },
  ),
  ageColumn,
];

const v1: ServedVersion = { group: 'storage.k8s.io', version: 'v1', schema: schemaOf('storage.v1.VolumeAttachment'), columns };

export const volumeAttachment: Resource = {
  names: {
    plural: 'volumeattachments',
    singular: 'volumeattachment',
    kind: 'VolumeAttachment',
    listKind: 'VolumeAttachmentList',
  },
  scope: 'Cluster',
  storagePrefix: '/registry/volumeattachments',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateAttachmentUpdate, statusOnly),
  },
  strategy: {
    returnDeletedObject: true,
    allowUnconditionalUpdate: false,
    prepareForCreate(object) {
      object.status = { attached: false };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: validateAttachment,
    validateUpdate: validateAttachmentUpdate,
  },
};

function validateAttachmentUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateAttachment(object, errors);
  if (!deepEqual(object.spec, old.spec)) errors.invalid(path('spec'), internalSpec(specOf(object)), fieldIsImmutable);
}

/** With the Go field names of the internal type. */
function internalSpec(spec: JsonObject): JsonObject {
  const { attacher = '', nodeName = '' } = spec;
  const { persistentVolumeName = null, inlineVolumeSpec = null } = objectIn(spec, 'source') ?? {};
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec },
    NodeName: nodeName,
  };
}

const maxMetadata = 256 << 10;
const maxMessage = 1024;

function validateAttachment(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateDriverName(textIn(spec, 'attacher'), path('spec', 'attacher'), errors);
  validateSource(objectIn(spec, 'source') ?? {}, path('spec', 'source'), errors);
  const node = textIn(spec, 'nodeName');
  report(nameIsDNSSubdomain(node, false), path('spec', 'nodeName'), node, errors);
  validateStatus(objectIn(object, 'status'), errors);
  const volume = objectIn(spec, 'source')?.persistentVolumeName;
  if (typeof volume === 'string')
    report(nameIsDNSSubdomain(volume, false), path('spec.source.persistentVolumeName'), volume, errors);
}

function validateSource(source: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const inline = objectIn(source, 'inlineVolumeSpec');
  const name = source.persistentVolumeName;
  const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inline && name === undefined) errors.required(at, one);
  else if (inline && name !== undefined) errors.forbidden(at, one);
  else if (name === '') errors.required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
  else if (inline) validateInlineVolume(inline, at.child('inlineVolumeSpec'), errors);
}

function validateStatus(status: JsonObject | undefined, errors: FieldErrors): void {
  const at = path('status');
  if (parameterBytes(Object.entries(mapIn(status, 'attachmentMetadata'))) > maxMetadata)
    errors.tooLong(at.child('attachmentMetadata'), maxMetadata);
  for (const field of ['attachError', 'detachError']) {
    const error = objectIn(status, field);
    if (Buffer.byteLength(textIn(error, 'message')) > maxMessage) errors.tooLong(at.child(field, 'message'), maxMetadata);
    const code = numberIn(error, 'errorCode');
    if (code < 0) errors.invalid(at.child(field, 'errorCode'), code, inclusiveRange(0, 2 ** 31 - 1));
  }
}
