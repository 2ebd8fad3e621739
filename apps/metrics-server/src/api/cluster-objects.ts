import { type ApiObject, type HttpResponse, Informer, type InformerOptions, KubeClient, type RestRequest } from '@tsukube/client';
import type { KubeletNode } from '../kubelet/kubelet-address.ts';

export type NodeObject = ApiObject & KubeletNode;

export interface ClusterOptions {
  readonly client: KubeClient;
  /** Only Nodes with these labels are scraped and served. */
  readonly nodeSelector?: string | undefined;
  readonly onError: (error: unknown) => void;
}

/** The Nodes and Pods of the cluster, followed by watches. */
export interface ClusterObjects {
  readonly nodes: Informer<NodeObject>;
  /** Metadata only. */
  readonly pods: Informer<ApiObject>;
  readonly isSynced: boolean;
  /** Follows until the signal is aborted. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

export function clusterObjects({ client, nodeSelector, onError }: ClusterOptions): ClusterObjects {
  const nodes = new Informer<NodeObject>(client.resource<NodeObject>('v1/nodes'), {
    onError,
    transform: slimNode,
    ...(nodeSelector && { labelSelector: nodeSelector }),
  });
  const options: InformerOptions<ApiObject> = {
    onError,
    transform: slimMetadata,
    indexers: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
  };
  const pods = new Informer<ApiObject>(new MetadataClient(client).resource<ApiObject>('v1/pods' as string), options);
  return {
    nodes,
    pods,
    get isSynced() {
      return nodes.isSynced && pods.isSynced;
    },
    run: async (signal) => void (await Promise.all([nodes.run(signal), pods.run(signal)])),
  };
}

/** Asks for the metadata of objects only: a fraction of 30,000 pods. */
class MetadataClient extends KubeClient {
  constructor(client: KubeClient) {
    super(client.config, { timing: client.timing }, client);
  }

  override json<T>(request: RestRequest): Promise<T> {
    return super.json({ ...request, headers: { ...request.headers, accept: accepted('PartialObjectMetadataList') } });
  }

  override stream(request: RestRequest): Promise<HttpResponse> {
    return super.stream({ ...request, headers: { ...request.headers, accept: accepted('PartialObjectMetadata') } });
  }
}

function accepted(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;
}

function slimNode({ apiVersion, kind, metadata, status }: NodeObject): NodeObject {
  const { name, labels, annotations, resourceVersion } = metadata;
  const { addresses, daemonEndpoints } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: { name, labels, annotations, resourceVersion },
    status: { addresses, daemonEndpoints },
  } as NodeObject;
}

function slimMetadata({ apiVersion, kind, metadata }: ApiObject): ApiObject {
  const { namespace, name, labels, resourceVersion } = metadata;
  return { apiVersion, kind, metadata: { namespace, name, labels, resourceVersion } as ApiObject['metadata'] };
}
