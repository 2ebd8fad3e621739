import { isIPv6 } from 'node:net';

/** The parts of a Node that lead to its kubelet. */
export interface KubeletNode {
  readonly metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port?: number } };
  };
}

export interface AddressOptions {
  /** The first type the Node has an address of. */
  readonly addressTypes: readonly string[];
  /** For Nodes without a port, and for all unless `useNodeStatusPort`. */
  readonly port: number;
  readonly useNodeStatusPort: boolean;
}

/** The order in metrics-server's manifests: addresses before names that may not resolve, internal before external. */
export const defaultAddressTypes: readonly string[] = ['InternalIP', 'ExternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS'];

/** Overrides the path of a node, as in metrics-server. */
const pathAnnotation = 'metrics.k8s.io/resource-metrics-path';

export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
  readonly path: string;
}

/** Throws an Error if the Node has no address of a wanted type. */
export function kubeletAddress(node: KubeletNode, { addressTypes, port, useNodeStatusPort }: AddressOptions): KubeletAddress {
  const addresses = node.status?.addresses ?? [];
  for (const type of addressTypes) {
    const found = addresses.find((each) => each.type === type && each.address !== '');
    if (found) return { host: found.address, port: portOf(node, port, useNodeStatusPort), path: pathOf(node) };
  }
  throw new Error(`the Node has no address of the types ${addressTypes.join(', ')}`);
}

function portOf(node: KubeletNode, fallback: number, useNodeStatusPort: boolean): number {
  return (useNodeStatusPort && node.status?.daemonEndpoints?.kubeletEndpoint?.Port) || fallback;
}

function pathOf({ metadata }: KubeletNode): string {
  const path = metadata.annotations?.[pathAnnotation];
  return path?.startsWith('/') ? encodeURI(path) : '/metrics/resource';
}

export function addressText({ host, port, path }: KubeletAddress): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}${path}`;
}
