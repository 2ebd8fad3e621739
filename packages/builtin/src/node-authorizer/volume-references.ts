import { type JsonObject, objectIn, textIn } from '@tsukube/machinery';
import { type Target, target } from './node-relations.ts';

const kubeletSecrets = ['nodePublishSecretRef', 'nodeStageSecretRef', 'nodeExpandSecretRef'];
/** Their secrets may leave out the namespace of the claim; those of the others may not. */
const inNamespaceOfClaim = ['cephfs', 'flexVolume', 'rbd', 'scaleIO', 'iscsi'];
const withNamespace = ['cinder', 'storageos'];

/** The claim that a persistent volume is bound to, and the secrets that a node needs to use it. */
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
