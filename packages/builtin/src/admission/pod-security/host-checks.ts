import { type JsonObject, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import {
  type CheckPod,
  containersFailing,
  containersText,
  counted,
  distinct,
  inQuotes,
  objectNames,
  plural,
  settersText,
} from './check.ts';

const hostNamespaceFields = ['hostNetwork', 'hostPID', 'hostIPC'] as const;

export const hostNamespaces: CheckPod = ({ spec }) => {
  const shared = hostNamespaceFields.filter((field) => spec[field] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((field) => `${field}=true`).join(', ') };
};

export const hostPorts: CheckPod = ({ containers }) => {
  const portsOf = (container: JsonObject) =>
    objectsIn(container, 'ports')
      .map((port) => numberIn(port, 'hostPort'))
      .filter((port) => port !== 0);
  const bad = objectNames(containers.filter((container) => portsOf(container).length > 0));
  if (bad.length === 0) return undefined;
  const ports = distinct(containers.flatMap(portsOf).map(String));
  const detail = `${containersText(bad)} ${verb(bad)} ${plural('hostPort', ports.length)} ${ports.join(', ')}`;
  return { reason: 'hostPort', detail };
};

/** Hosts of probes and of lifecycle handlers. */
export const hostProbesAndLifecycle: CheckPod = ({ containers }) => {
  const bad = distinct(objectNames(containers.filter((container) => hostsOf(container).length > 0)));
  if (bad.length === 0) return undefined;
  const hosts = distinct(containers.flatMap(hostsOf));
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(bad)} ${verb(bad)} ${counted('probe or lifecycle host', hosts)}`,
  };
};

function hostsOf(container: JsonObject): readonly string[] {
  const lifecycle = objectIn(container, 'lifecycle');
  const handlers = [
    ...['livenessProbe', 'readinessProbe', 'startupProbe'].map((field) => objectIn(container, field)),
    ...['postStart', 'preStop'].map((field) => objectIn(lifecycle, field)),
  ];
  return handlers.flatMap((handler) =>
    ['httpGet', 'tcpSocket'].map((action) => textIn(objectIn(handler, action), 'host')).filter((host) => host !== ''),
  );
}

export const windowsHostProcess: CheckPod = (pod) => {
  const isSet = (context: JsonObject | undefined) => objectIn(context, 'windowsOptions')?.hostProcess === true;
  const setters = settersText(isSet(pod.securityContext), containersFailing(pod, isSet));
  if (setters === '') return undefined;
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

export const hostPathVolumes: CheckPod = ({ spec }) => {
  const bad = objectNames(objectsIn(spec, 'volumes').filter((volume) => objectIn(volume, 'hostPath')));
  return bad.length === 0 ? undefined : { reason: 'hostPath volumes', detail: counted('volume', bad) };
};

const restrictedSources = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** In the order in which one is reported, if a volume has several. */
const forbiddenSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const restrictedVolumes: CheckPod = ({ spec }) => {
  const bad = objectsIn(spec, 'volumes').filter((volume) => !restrictedSources.some((source) => objectIn(volume, source)));
  if (bad.length === 0) return undefined;
  const types = distinct(bad.map((volume) => forbiddenSources.find((source) => objectIn(volume, source)) ?? 'unknown'));
  const names = objectNames(bad);
  return {
    reason: 'restricted volume types',
    detail: `${counted('volume', names)} ${verb(names)} ${plural('restricted volume type', types.length)} ${inQuotes(types)}`,
  };
};

function verb(checkedResources: readonly string[]): string {
  return checkedResources.length === 1 ? 'uses' : 'use';
}
