import { fillIn, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import { defaultFieldRef, isLatestImage } from '../container/container-defaults.ts';
import { roundRequirements } from '../container/resource-requirements.ts';

const fileMode = 0o644;
const tokenLifetimeSeconds = 3_600;

export function defaultVolume(volume: JsonObject): void {
  let isEmpty = true;
  for (const key in volume) {
    if (key === 'name') continue;
    isEmpty = false;
    const source = objectIn(volume, key);
    if (source) sources.get(key)?.(source);
  }
  if (isEmpty) volume.emptyDir = {};
}

/** Defaults of each volume source. */
const sourceDefaults: Readonly<Record<string, (source: JsonObject) => void>> = {
  hostPath(source) {
    source.type ??= '';
  },
  secret: defaultMode,
  configMap: defaultMode,
  downwardAPI(source) {
    defaultMode(source);
    defaultDownwardFiles(source);
  },
  projected: defaultProjected,
  iscsi: (source) => fillIn(source, 'iscsiInterface', 'default'),
  rbd(source) {
    fillIn(source, 'pool', 'rbd');
    fillIn(source, 'user', 'admin');
    fillIn(source, 'keyring', '/etc/ceph/keyring');
  },
  azureDisk(source) {
    source.cachingMode ??= 'ReadWrite';
    source.fsType ??= 'ext4';
    source.readOnly ??= false;
    source.kind ??= 'Shared';
  },
  scaleIO(source) {
    fillIn(source, 'storageMode', 'ThinProvisioned');
    fillIn(source, 'fsType', 'xfs');
  },
  image: (source) => fillIn(source, 'pullPolicy', isLatestImage(textIn(source, 'reference')) ? 'Always' : 'IfNotPresent'),
  ephemeral: defaultClaimTemplate,
};
const sources = new Map(Object.entries(sourceDefaults));

function defaultMode(source: JsonObject): void {
  source.defaultMode ??= fileMode;
}

function defaultDownwardFiles(source: JsonObject | undefined): void {
  for (const item of objectsIn(source, 'items')) defaultFieldRef(objectIn(item, 'fieldRef'));
}

function defaultProjected(projected: JsonObject): void {
  defaultMode(projected);
  for (const source of objectsIn(projected, 'sources')) {
    defaultDownwardFiles(objectIn(source, 'downwardAPI'));
    const token = objectIn(source, 'serviceAccountToken');
    if (token) token.expirationSeconds ??= tokenLifetimeSeconds;
  }
}

function defaultClaimTemplate(ephemeral: JsonObject): void {
  const template = objectIn(ephemeral, 'volumeClaimTemplate');
  if (!template) return;
  template.spec ??= {};
  const spec = specOf(template);
  spec.resources ??= {};
  spec.volumeMode ??= 'Filesystem';
  roundRequirements(objectIn(spec, 'resources'));
}
