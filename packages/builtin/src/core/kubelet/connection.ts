import type { BackendTls, KubeletMetrics, ResourceRequest } from '@tsukube/apiserver';
import { decodeObject, upgradeError } from '@tsukube/apiserver';
import { type JsonObject, objectIn, objectsIn, StatusError, textIn, textsIn } from '@tsukube/machinery';

/** How kubelets are reached. */
export interface KubeletClientConfig {
  /** Types of node addresses, the preferred one first. */
  readonly addressTypes: readonly string[];
  /** Port of kubelets whose Node does not name one. */
  readonly port: number;
  /** Read for every connection, because certificates are renewed. */
  readonly tls: () => BackendTls;
  /** Undefined until the server has started. */
  readonly metrics: () => KubeletMetrics | undefined;
}

export const preferredAddressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const defaultPort = 10_250;

/** Without a client certificate. */
export const plainKubeletClientConfig: KubeletClientConfig = {
  addressTypes: preferredAddressTypes,
  port: defaultPort,
  tls: () => ({}),
  metrics: () => undefined,
};

/** Where the kubelet of a node listens. */
export interface KubeletConnectionInfo {
  readonly host: string;
  readonly port: string;
  /** Names of features that the kubelet declares. */
  readonly features: readonly string[];
}

/** Throws 404 if there is no such node: the message names the resource of the request, as in Kubernetes. */
export async function kubeletConnectionInfo(
  request: ResourceRequest,
  nodeName: string,
  client: KubeletClientConfig,
): Promise<KubeletConnectionInfo> {
  const nodes = request.objectsOf('', 'nodes');
  const entry = nodes && (await nodes.cache.get(nodes.key('', nodeName)));
  if (!entry) throw StatusError.notFound({ group: '', resource: request.info.resource }, nodeName);
  const status = objectIn(decodeObject(entry.value), 'status');
  const declared = objectIn(objectIn(status, 'daemonEndpoints'), 'kubeletEndpoint')?.Port;
  const port = typeof declared === 'number' && declared > 0 ? declared : client.port;
  return {
    host: preferredAddress(status, client.addressTypes),
    port: String(port),
    features: textsIn(status, 'declaredFeatures'),
  };
}

function preferredAddress(status: JsonObject | undefined, types: readonly string[]): string {
  const addresses = objectsIn(status, 'addresses');
  for (const type of types) {
    const found = addresses.find((address) => address.type === type);
    if (found) return textIn(found, 'address');
  }
  const known = addresses.map((each) => `{${textIn(each, 'type')} ${textIn(each, 'address')}}`);
  throw upgradeError(`no preferred addresses found; known addresses: [${known.join(' ')}]`);
}
