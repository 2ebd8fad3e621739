import type { Resource } from '@tsukube/apiserver';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class.ts';

export const storageResources: readonly Resource[] = [
  storageClass,
  volumeAttachment,
  csiDriver,
  csiNode,
  csiStorageCapacity,
  volumeAttributesClass,
];
