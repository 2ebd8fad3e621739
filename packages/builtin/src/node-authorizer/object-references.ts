import { byName, type JsonObject, mapIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { specOf } from '../common/objects.ts';
import { type RelatedKind, type Target, target } from './node-graph.ts';

const mirror = 'kubernetes.io/config.mirror';

/** Objects that a pod relates to its node. Mirror pods are created by the node and grant access to nothing but themselves. */
export function podReferences(pod: JsonObject, namespace: string, name: string): readonly Target[] {
  const own = target('pod', namespace, name);
  if (mirror in mapIn(objectIn(pod, 'metadata'), 'annotations')) return [own];
  const spec = specOf(pod);
  const of = (kind: RelatedKind, names: readonly string[]) =>
    names.filter((one) => one !== '').map((one) => target(kind, namespace, one));
  return [
    own,
    ...of('serviceaccount', [textIn(spec, 'serviceAccountName')]),
    ...of('secret', podSecrets(pod)),
    ...of('configmap', [...fromContainers(spec, configMapFields), ...objectsIn(spec, 'volumes').flatMap(volumeConfigMaps)]),
    ...of(
      'claim',
      objectsIn(spec, 'volumes').map((volume) => claimOf(volume, name)),
    ),
    ...of('resourceclaim', resourceClaims(pod)),
  ];
}

/** Names of the Secrets that a pod uses; some may be empty. */
export function podSecrets(pod: JsonObject): readonly string[] {
  const spec = specOf(pod);
  const volumes = objectsIn(spec, 'volumes');
  return [...pullSecrets(spec), ...fromContainers(spec, secretFields), ...volumes.flatMap(volumeSecrets)];
}

function pullSecrets(spec: JsonObject): readonly string[] {
  return objectsIn(spec, 'imagePullSecrets').map((secret) => textIn(secret, 'name'));
}

const secretFields = ['secretRef', 'secretKeyRef'] as const;
const configMapFields = ['configMapRef', 'configMapKeyRef'] as const;

function fromContainers(spec: JsonObject, [whole, key]: readonly [string, string]): readonly string[] {
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((field) => objectsIn(spec, field));
  return containers.flatMap((container) => [
    ...objectsIn(container, 'envFrom').map((source) => textIn(objectIn(source, whole), 'name')),
    ...objectsIn(container, 'env').map((variable) => textIn(objectIn(objectIn(variable, 'valueFrom'), key), 'name')),
  ]);
}

const withSecretRef = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'];

function volumeSecrets(volume: JsonObject): readonly string[] {
  return [
    textIn(objectIn(volume, 'secret'), 'secretName'),
    textIn(objectIn(volume, 'azureFile'), 'secretName'),
    textIn(objectIn(objectIn(volume, 'csi'), 'nodePublishSecretRef'), 'name'),
    ...withSecretRef.map((field) => textIn(objectIn(objectIn(volume, field), 'secretRef'), 'name')),
    ...projected(volume).map((source) => textIn(objectIn(source, 'secret'), 'name')),
  ];
}

function volumeConfigMaps(volume: JsonObject): readonly string[] {
  const ofProjections = projected(volume).map((source) => textIn(objectIn(source, 'configMap'), 'name'));
  return [textIn(objectIn(volume, 'configMap'), 'name'), ...ofProjections];
}

function projected(volume: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(volume, 'projected'), 'sources');
}

/** Claims of ephemeral volumes are named POD-VOLUME. */
function claimOf(volume: JsonObject, pod: string): string {
  if (objectIn(volume, 'ephemeral')) return `${pod}-${textIn(volume, 'name')}`;
  return textIn(objectIn(volume, 'persistentVolumeClaim'), 'claimName');
}

/** Named claims, and those already generated from templates. */
function resourceClaims(pod: JsonObject): readonly string[] {
  const status = objectIn(pod, 'status');
  const made = byName(objectsIn(status, 'resourceClaimStatuses'));
  const named = objectsIn(objectIn(pod, 'spec'), 'resourceClaims').map((claim) => {
    const own = textIn(claim, 'resourceClaimName');
    return own !== '' ? own : textIn(made.get(claim.name), 'resourceClaimName');
  });
  return [...named, textIn(objectIn(status, 'extendedResourceClaimStatus'), 'resourceClaimName')];
}

const kubeletSecrets = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'];
/** Sources whose secret defaults to the namespace of the claim. */
const inNamespaceOfClaim = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'];
const withNamespace = ['cinder', 'storageos'];

/** The claim that a persistent volume is bound to, and the secrets needed to mount it. */
export function volumeReferences(
  volume: JsonObject,
): { readonly claim: Target; readonly secrets: readonly Target[] } | undefined {
  const spec = objectIn(volume, 'spec');
  const claim = objectIn(spec, 'claimRef');
  if (!claim) return undefined;
  const namespace = textIn(claim, 'namespace');
  return { claim: target('claim', namespace, textIn(claim, 'name')), secrets: secretsOf(spec, namespace) };
}

function secretsOf(spec: JsonObject | undefined, namespace: string): readonly Target[] {
  const reference = (owner: JsonObject | undefined, field: string, fallback: string): Target[] => {
    const secret = objectIn(owner, field);
    const name = textIn(secret, 'name');
    return name === '' ? [] : [target('secret', textIn(secret, 'namespace') || fallback, name)];
  };
  const azure = objectIn(spec, 'azureFile');
  const azureSecret = textIn(azure, 'secretName');
  return [
    ...(azureSecret === '' ? [] : [target('secret', textIn(azure, 'secretNamespace') || namespace, azureSecret)]),
    ...inNamespaceOfClaim.flatMap((field) => reference(objectIn(spec, field), 'secretRef', namespace)),
    ...withNamespace.flatMap((field) => reference(objectIn(spec, field), 'secretRef', '')),
    ...kubeletSecrets.flatMap((field) => reference(objectIn(spec, 'csi'), field, '')),
  ];
}
