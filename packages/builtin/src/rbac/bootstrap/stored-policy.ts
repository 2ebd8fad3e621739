import { type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';

/**
 * The bytes of a role or binding that is there from the first start, as a write of this server would leave them. Written
 * at once because a hundred of them make up most of what a first start has to do.
 */
export function storedPolicy(object: JsonObject, uid: string, time: string): Buffer {
  const { kind, apiVersion, metadata, ...content } = object;
  const { name, namespace, labels, annotations } = metadata as JsonObject;
  const managedFields = owners(object, time);
  const stored = { name, namespace, uid, creationTimestamp: time, labels, annotations, managedFields };
  return Buffer.from(JSON.stringify({ kind, apiVersion, metadata: stored, ...content }));
}

/** Rules that a role has gathered belong to the controller that gathers them. */
function owners(object: JsonObject, time: string): JsonObject[] {
  const owner = (manager: string, operation: string, fieldsV1: JsonObject): JsonObject => ({
    ...{ manager, operation, apiVersion: object.apiVersion as string, time },
    ...{ fieldsType: 'FieldsV1', fieldsV1 },
  });
  const gathers = 'aggregationRule' in object && objectsIn(object, 'rules').length > 0;
  const server = owner('kube-apiserver', 'Update', ownFields(object, gathers));
  return gathers ? [owner('clusterrole-aggregation-controller', 'Apply', { 'f:rules': {} }), server] : [server];
}

function ownFields(object: JsonObject, gathers: boolean): JsonObject {
  const metadata = objectIn(object, 'metadata');
  const owned: JsonObject = {};
  if ('aggregationRule' in object) owned['f:aggregationRule'] = { '.': {}, 'f:clusterRoleSelectors': {} };
  owned['f:metadata'] = { 'f:annotations': keys(metadata, 'annotations'), 'f:labels': keys(metadata, 'labels') };
  for (const field of ['roleRef', 'rules', 'subjects']) {
    if (object[field] && !(gathers && field === 'rules')) owned[`f:${field}`] = {};
  }
  return owned;
}

function keys(metadata: JsonObject | undefined, field: string): JsonObject {
  const names = Object.keys(objectIn(metadata, field) ?? {}).sort();
  return { '.': {}, ...Object.fromEntries(names.map((name) => [`f:${name}`, {}])) };
}
