import type { Authorizer, Resource } from '@tsukube/apiserver';
import type { TokenIssuer } from '../service-account-tokens/token-request.ts';
import { componentStatus } from './component-status.ts';
import { configMap } from './config-map.ts';
import { event } from './event.ts';
import type { KubeletClientConfig } from './kubelet/connection.ts';
import { nodeProxy } from './kubelet/node-proxy.ts';
import { limitRange } from './limit-range.ts';
import { namespace } from './namespace.ts';
import { node } from './node.ts';
import { binding } from './pod/binding.ts';
import { kubeletSubresources } from './pod/kubelet-subresources.ts';
import { pod } from './pod/pod.ts';
import { podTemplate } from './pod-template.ts';
import { replicationController } from './replication-controller.ts';
import { resourceQuota } from './resource-quota.ts';
import { secret } from './secret.ts';
import { endpoints } from './service/endpoints.ts';
import { service } from './service/service.ts';
import type { ServiceRanges } from './service/service-ranges.ts';
import { serviceAccount } from './service-account.ts';
import { persistentVolume } from './volume/persistent-volume.ts';
import { persistentVolumeClaim } from './volume/persistent-volume-claim.ts';

interface CoreOptions {
  readonly eventTtlSeconds: number;
  readonly serviceRanges: ServiceRanges;
  /** Signs service account tokens; without it token requests are rejected. */
  readonly tokenIssuer: TokenIssuer | undefined;
  readonly authorizer: Authorizer;
  readonly kubelets: KubeletClientConfig;
}

/** All kinds of the core group, in the order of discovery. */
export function coreResources(options: CoreOptions): readonly Resource[] {
  return [
    namespace,
    configMap,
    secret,
    event(options.eventTtlSeconds),
    serviceAccount(options.tokenIssuer),
    service(options.serviceRanges),
    endpoints,
    { ...node, subresources: { ...node.subresources, proxy: nodeProxy(options.kubelets) } },
    persistentVolume,
    persistentVolumeClaim,
    limitRange,
    resourceQuota,
    componentStatus,
    { ...pod, subresources: { ...kubeletSubresources(options.authorizer, options.kubelets), ...pod.subresources } },
    binding,
    podTemplate,
    replicationController,
  ];
}
