import { type CacheEntry, decodeObject, isReadable, type ServiceReference } from '@tsukube/apiserver';
import { numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';

/** A group version that another API server serves: an APIService with a Service. */
export interface RemoteApi {
  /** Name of the APIService: v1beta1.metrics.k8s.io */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  readonly service: ServiceReference;
  /** Certificate authorities in PEM; Node's root certificates without them. */
  readonly ca: string | undefined;
  readonly skipsVerification: boolean;
  /** Whether the condition Available is true. */
  readonly isAvailable: boolean;
}

/** The remote API of an APIService; undefined if this server serves it itself. */
export function remoteApiOf(entry: CacheEntry): RemoteApi | undefined {
  if (!isReadable(entry) || !entry.value.includes('"service":')) return undefined;
  const object = decodeObject(entry.value);
  const spec = objectIn(object, 'spec');
  const service = objectIn(spec, 'service');
  if (!spec || !service) return undefined;
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const bundle = Buffer.from(textIn(spec, 'caBundle'), 'base64').toString();
  return {
    name: object.metadata.name ?? '',
    group: textIn(spec, 'group'),
    version: textIn(spec, 'version'),
    groupPriority: numberIn(spec, 'groupPriorityMinimum'),
    versionPriority: numberIn(spec, 'versionPriority'),
    service: { namespace: textIn(service, 'namespace'), name: textIn(service, 'name'), port: numberIn(service, 'port') || 443 },
    ca: bundle.trim() === '' ? undefined : bundle,
    skipsVerification: spec.insecureSkipTLSVerify === true,
    isAvailable: conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
  };
}

/** The path below which the API is served. The core group is served below /api as a whole. */
export function pathOf({ name, group, version }: Pick<RemoteApi, 'name' | 'group' | 'version'>): string {
  return name === 'v1.' ? '/api' : `/apis/${group}/${version}`;
}

/** The path of the list of resources, which every API server has. */
export function discoveryPathOf(api: Pick<RemoteApi, 'name' | 'group' | 'version'>): string {
  return api.name === 'v1.' ? `/api/${api.version}` : pathOf(api);
}

export function serverNameOf({ service }: Pick<RemoteApi, 'service'>): string {
  return `${service.name}.${service.namespace}.svc`;
}
