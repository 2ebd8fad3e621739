import { type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { containerFields } from '../../core/pod-spec/defaults.ts';

/** Volume sources that refer to no API object. */
const plainVolumes = [
  'awsElasticBlockStore',
  'azureDisk',
  'cephfs',
  'cinder',
  'downwardAPI',
  'emptyDir',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'hostPath',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

/** Volume sources that refer to API objects, by resource. The first match in this order is reported. */
const volumeReferences = {
  configMap: 'configmaps (via configmap volumes)',
  secret: 'secrets (via secret volumes)',
  csi: 'csidrivers (via CSI volumes)',
  glusterfs: 'endpoints (via glusterFS volumes)',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims (via ephemeral volumes)',
  azureFile: 'secrets (via azureFile volumes)',
};

const projectedReferences = {
  configMap: 'configmaps (via projected volumes)',
  secret: 'secrets (via projected volumes)',
  serviceAccountToken: 'serviceaccounts (via projected volumes)',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificates',
};

/** Volume sources that name a Secret: the field of the reference, and the field of the name in it. */
const secretNames: Readonly<Record<string, readonly [string, string?]>> = {
  azureFile: ['secretName'],
  cephfs: ['secretRef', 'name'],
  cinder: ['secretRef', 'name'],
  flexVolume: ['secretRef', 'name'],
  rbd: ['secretRef', 'name'],
  secret: ['secretName'],
  scaleIO: ['secretRef', 'name'],
  iscsi: ['secretRef', 'name'],
  storageos: ['secretRef', 'name'],
  csi: ['nodePublishSecretRef', 'name'],
};

/** The resource of the first API object that the pod refers to, or an error text. */
export function apiReference(spec: JsonObject): { readonly resource: string } | { readonly problem: string } | undefined {
  // `serviceAccount` is the deprecated name of the field.
  if (textIn(spec, 'serviceAccountName') || textIn(spec, 'serviceAccount')) return { resource: 'serviceaccounts' };
  if (namesSecret(spec)) return { resource: 'secrets' };
  if (namesConfigMap(spec)) return { resource: 'configmaps' };
  if (objectsIn(spec, 'resourceClaims').length > 0) return { resource: 'resourceclaims' };
  for (const volume of objectsIn(spec, 'volumes')) {
    const reference = volumeReference(volume);
    if (reference) return reference;
  }
  return undefined;
}

function volumeReference(volume: JsonObject): ReturnType<typeof apiReference> {
  if (has(volume, plainVolumes)) return undefined;
  for (const [source, resource] of Object.entries(volumeReferences)) if (objectIn(volume, source)) return { resource };
  const projected = objectIn(volume, 'projected');
  if (!projected) return { problem: `unknown volume type for volume  "${textIn(volume, 'name')}"` };
  for (const source of objectsIn(projected, 'sources')) {
    const found = Object.entries(projectedReferences).find(([field]) => objectIn(source, field));
    if (found) return { resource: found[1] };
    if (!objectIn(source, 'downwardAPI')) return { problem: `unknown source for projected volume "${textIn(volume, 'name')}"` };
  }
  return undefined;
}

function has(volume: JsonObject, sources: readonly string[]): boolean {
  return sources.some((source) => objectIn(volume, source) !== undefined);
}

/** Whether any field of a pod names a Secret. */
export function namesSecret(spec: JsonObject): boolean {
  if (objectsIn(spec, 'imagePullSecrets').some(isNamed)) return true;
  if (environmentNames(spec, 'secretRef', 'secretKeyRef')) return true;
  return objectsIn(spec, 'volumes').some(
    (volume) =>
      projects(volume, 'secret') ||
      Object.entries(secretNames).some(([source, [field, name]]) => {
        const found = objectIn(volume, source);
        return textIn(name === undefined ? found : objectIn(found, field), name ?? field) !== '';
      }),
  );
}

function namesConfigMap(spec: JsonObject): boolean {
  if (environmentNames(spec, 'configMapRef', 'configMapKeyRef')) return true;
  return objectsIn(spec, 'volumes').some((volume) => projects(volume, 'configMap') || isNamed(objectIn(volume, 'configMap')));
}

function projects(volume: JsonObject, source: string): boolean {
  return objectsIn(objectIn(volume, 'projected'), 'sources').some((each) => isNamed(objectIn(each, source)));
}

function environmentNames(spec: JsonObject, from: string, keyFrom: string): boolean {
  return containerFields.some((field) =>
    objectsIn(spec, field).some(
      (container) =>
        objectsIn(container, 'envFrom').some((each) => isNamed(objectIn(each, from))) ||
        objectsIn(container, 'env').some((variable) => isNamed(objectIn(objectIn(variable, 'valueFrom'), keyFrom))),
    ),
  );
}

function isNamed(reference: JsonObject | undefined): boolean {
  return textIn(reference, 'name') !== '';
}
