import { type CacheEntry, decodeObject } from '@tsukube/apiserver';
import { controllerOf, isObject, type JsonObject, type JsonValue, metadataOf } from '@tsukube/machinery';
import { type ControllerContext, type RunningController, registryNamed } from '../controller.ts';
import { type ProtectionController, protectionController } from './protection.ts';
import { ReferenceIndex } from './reference-index.ts';

/** A PersistentVolumeClaim is in use while a scheduled pod mounts it. */
export function persistentVolumeClaimProtection(context: ControllerContext): RunningController {
  const pods = new ReferenceIndex(registryNamed(context, 'pods'), claimsOfPod, (claim) => {
    const [namespace = '', name = ''] = claim.split('/');
    claims.recheck(namespace, name);
  });
  const isUsed = async (claim: JsonObject): Promise<boolean> => {
    const { namespace, name } = metadataOf(claim);
    const entries = await pods.referrers(`${namespace}/${name}`);
    return entries.some((entry) => podUses(decodeObject(entry.value), claim));
  };
  const claims = protectionController(context, {
    plural: 'persistentvolumeclaims',
    finalizer: 'kubernetes.io/pvc-protection',
    isUsed,
  });
  return stoppingAll(claims, pods);
}

/** A PersistentVolume is in use while it is bound to a claim. */
export function persistentVolumeProtection(context: ControllerContext): RunningController {
  return protectionController(context, {
    plural: 'persistentvolumes',
    finalizer: 'kubernetes.io/pv-protection',
    isUsed: (volume) => field(volume, 'status', 'phase') === 'Bound',
  });
}

/** A VolumeAttributesClass is in use while a volume or claim names it, in spec or status. */
export function volumeAttributesClassProtection(context: ControllerContext): RunningController {
  const recheck = (name: string) => classes.recheck('', name);
  const indexes = ['persistentvolumes', 'persistentvolumeclaims'].map(
    (plural) => new ReferenceIndex(registryNamed(context, plural), classesOf, recheck),
  );
  const isUsed = async (attributesClass: JsonObject): Promise<boolean> => {
    const { name = '' } = metadataOf(attributesClass);
    const referrers = await Promise.all(indexes.map((index) => index.referrers(name)));
    return referrers.some((entries) => entries.length > 0);
  };
  const classes: ProtectionController = protectionController(context, {
    plural: 'volumeattributesclasses',
    finalizer: 'kubernetes.io/vac-protection',
    isUsed,
  });
  return stoppingAll(classes, ...indexes);
}

function stoppingAll(...parts: readonly RunningController[]): RunningController {
  return {
    stop() {
      for (const part of parts) part.stop();
    },
  };
}

const claimMark = Buffer.from('"persistentVolumeClaim"');
const ephemeralMark = Buffer.from('"ephemeral"');

/** NAMESPACE/NAME of the claims that a pod mounts. The claim of an ephemeral volume is named POD-VOLUME. */
function claimsOfPod({ value }: CacheEntry): readonly string[] {
  if (!value.includes(claimMark) && !value.includes(ephemeralMark)) return [];
  const pod = decodeObject(value);
  const { namespace } = metadataOf(pod);
  return volumesOf(pod).flatMap((volume) => {
    const name = claimOf(volume) ?? ephemeralClaimOf(pod, volume);
    return name === undefined ? [] : [`${namespace}/${name}`];
  });
}

/** An unscheduled pod does not use its claims: it cannot start with a claim that is being deleted. */
function podUses(pod: JsonObject, claim: JsonObject): boolean {
  if ((field(pod, 'spec', 'nodeName') ?? '') === '') return false;
  const { name } = metadataOf(claim);
  const owns = !isShutDown(pod) && isControlledBy(claim, pod);
  return volumesOf(pod).some((volume) => claimOf(volume) === name || (owns && ephemeralClaimOf(pod, volume) === name));
}

/** The kubelet has stopped the pod, or it was force-deleted. */
function isShutDown(pod: JsonObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(pod);
  return deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0;
}

function isControlledBy(object: JsonObject, owner: JsonObject): boolean {
  return controllerOf(metadataOf(object))?.uid === metadataOf(owner).uid;
}

const classMark = Buffer.from('olumeAttributesClassName"');

function classesOf({ value }: CacheEntry): readonly string[] {
  if (!value.includes(classMark)) return [];
  const object = decodeObject(value);
  const names = [
    field(object, 'spec', 'volumeAttributesClassName'),
    field(object, 'status', 'currentVolumeAttributesClassName'),
    field(object, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
  ];
  return [...new Set(names)].filter((name): name is string => typeof name === 'string' && name !== '');
}

function volumesOf(pod: JsonObject): readonly JsonObject[] {
  return listOf(field(pod, 'spec', 'volumes'));
}

function claimOf(volume: JsonObject): JsonValue | undefined {
  return field(volume, 'persistentVolumeClaim', 'claimName');
}

function ephemeralClaimOf(pod: JsonObject, volume: JsonObject): string | undefined {
  return volume.ephemeral === undefined ? undefined : `${metadataOf(pod).name}-${volume.name}`;
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function field(object: JsonObject, ...path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}
