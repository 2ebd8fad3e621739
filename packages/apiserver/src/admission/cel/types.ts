import {
  boolType,
  type CelType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from '@tsukube/machinery/cel';

type Fields = Readonly<Record<string, CelType>>;

function declaredObject(name: string, fields: Fields): CelType {
  return objectType(`kubernetes.${name}`, (field) => (Object.hasOwn(fields, field) ? fields[field] : undefined));
}

const text = stringType;
const texts = listType(stringType);
const textMap = mapType(stringType, stringType);

const kindType = declaredObject('GroupVersionKind', { group: text, version: text, kind: text });
const resourceType = declaredObject('GroupVersionResource', { group: text, version: text, resource: text });
const userInfoType = declaredObject('UserInfo', { username: text, uid: text, groups: texts, extra: mapType(text, texts) });

/** The variable `request`: an AdmissionRequest without its objects, which are variables of their own. */
export const requestType = declaredObject('AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: text,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo: userInfoType,
  dryRun: boolType,
  options: dynType,
});

const namespaceMetadataType = declaredObject('NamespaceMetadata', {
  name: text,
  generateName: text,
  namespace: text,
  labels: textMap,
  annotations: textMap,
  UID: text,
  creationTimestamp: timestampType,
  deletionGracePeriodSeconds: intType,
  deletionTimestamp: timestampType,
  generation: intType,
  resourceVersion: text,
  finalizers: texts,
});

const namespaceConditionType = declaredObject('NamespaceCondition', {
  status: text,
  type: text,
  lastTransitionTime: timestampType,
  message: text,
  reason: text,
});

/** The variable `namespaceObject`. */
export const namespaceType = declaredObject('Namespace', {
  metadata: namespaceMetadataType,
  spec: declaredObject('NamespaceSpec', { finalizers: texts }),
  status: declaredObject('NamespaceStatus', { conditions: listType(namespaceConditionType), phase: text }),
});

/** The types of the expressions of a mutation, by patch type. Types with the same name are equal. */
export const mutationTypes = {
  ApplyConfiguration: objectType('Object', () => undefined),
  JSONPatch: listType(objectType('JSONPatch', () => undefined)),
} as const;
