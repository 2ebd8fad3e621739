import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { apiReference } from './pod-references.ts';

const volume = (source: JsonObject): JsonObject => ({ volumes: [{ name: 'v', ...source }] });
const container = (more: JsonObject): JsonObject => ({ containers: [{ name: 'c', ...more }] });
const secretRef = { name: 's' };

describe('API objects that pods refer to', () => {
  it.each<[JsonObject, string | undefined]>([
    [{}, undefined],
    [{ serviceAccountName: 'a' }, 'serviceaccounts'],
    [{ serviceAccount: 'a' }, 'serviceaccounts'],
    [{ imagePullSecrets: [{ name: 's' }] }, 'secrets'],
    [{ imagePullSecrets: [{}] }, undefined],
    [{ initContainers: [{ name: 'c', envFrom: [{ secretRef }] }] }, 'secrets'],
    [{ ephemeralContainers: [{ name: 'c', envFrom: [{ secretRef }] }] }, 'secrets'],
    [container({ env: [{ name: 'e', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }), 'secrets'],
    [container({ env: [{ name: 'e', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] }), 'configmaps'],
    [container({ envFrom: [{ configMapRef: { name: 'c' } }] }), 'configmaps'],
    [container({ env: [{ name: 'e', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }), undefined],
    [{ resourceClaims: [{ name: 'r' }] }, 'resourceclaims'],
    ...(['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'].flatMap((source): [JsonObject, string?][] => [
      [volume({ [source]: { secretRef } }), 'secrets'],
      [volume({ [source]: {} }), undefined],
    ]) as [JsonObject, string | undefined][]),
    [volume({ secret: { secretName: 's' } }), 'secrets'],
    [volume({ secret: {} }), 'secrets (via secret volumes)'],
    [volume({ azureFile: { secretName: 's' } }), 'secrets'],
    [volume({ azureFile: {} }), 'secrets (via azureFile volumes)'],
    [volume({ csi: { nodePublishSecretRef: secretRef } }), 'secrets'],
    [volume({ csi: {} }), 'csidrivers (via CSI volumes)'],
    [volume({ configMap: { name: 'c' } }), 'configmaps'],
    [volume({ configMap: {} }), 'configmaps (via configmap volumes)'],
    [volume({ glusterfs: {} }), 'endpoints (via glusterFS volumes)'],
    [volume({ persistentVolumeClaim: {} }), 'persistentvolumeclaims'],
    [volume({ ephemeral: {} }), 'persistentvolumeclaims (via ephemeral volumes)'],
    [volume({ projected: { sources: [{ secret: { name: 's' } }] } }), 'secrets'],
    [volume({ projected: { sources: [{ secret: {} }] } }), 'secrets (via projected volumes)'],
    [volume({ projected: { sources: [{ configMap: {} }] } }), 'configmaps (via projected volumes)'],
    [volume({ projected: { sources: [{ serviceAccountToken: {} }] } }), 'serviceaccounts (via projected volumes)'],
    [volume({ projected: { sources: [{ downwardAPI: {} }, { clusterTrustBundle: {} }] } }), 'clustertrustbundles'],
    [volume({ projected: { sources: [{ podCertificate: {} }] } }), 'podcertificates'],
    [volume({ projected: { sources: [{ downwardAPI: {} }] } }), undefined],
    [volume({ hostPath: { path: '/' } }), undefined],
    [volume({ image: {} }), undefined],
  ])('%j: %s', (spec, resource) => expect(apiReference(spec)).toEqual(resource === undefined ? undefined : { resource }));

  it.each([
    [volume({}), 'unknown volume type for volume  "v"'],
    [volume({ projected: { sources: [{}] } }), 'unknown source for projected volume "v"'],
  ])('%j is an unknown volume', (spec, problem) => expect(apiReference(spec)).toEqual({ problem }));
});
