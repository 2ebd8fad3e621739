import type { AdmissionPlugin } from '@tsukube/apiserver';

/** Finalizers by resource and group. Controllers remove them when the object is not used. */
const finalizers = new Map([
  ['persistentvolumes.', 'kubernetes.io/pv-protection'],
  ['persistentvolumeclaims.', 'kubernetes.io/pvc-protection'],
  ['volumeattributesclasses.storage.k8s.io', 'kubernetes.io/vac-protection'],
]);

/** StorageObjectInUseProtection: a finalizer keeps volumes, claims and classes that are in use. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, resource, subresource, object }) {
    if (operation !== 'CREATE' || subresource !== '' || !object) return;
    const finalizer = finalizers.get(`${resource.names.plural}.${resource.hub.group}`);
    if (finalizer === undefined) return;
    const { metadata } = object;
    const present = metadata.finalizers ?? [];
    if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer];
  },
};
