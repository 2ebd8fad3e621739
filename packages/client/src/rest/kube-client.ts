import type { BuiltinResources } from '@tsukube/api/kinds';
import { type GroupVersion, parseApiVersion } from '@tsukube/machinery';
import { type KubeconfigOptions, loadConfig } from '../config/kubeconfig.ts';
import { ApiClient, type CallOptions, type ClientOptions } from './api-client.ts';
import type { ApiObject, BuiltinName, UntypedObject } from './api-object.ts';
import { type DiscoveredResource, discover, preferredVersions, resourceOfKind } from './discovery.ts';
import type { Impersonation } from './headers.ts';
import { ResourceApi } from './resource-api.ts';
import { parseResourceName, type ResourceName, type ResourceScope } from './resource-name.ts';

/** A client for one API server. */
export class KubeClient extends ApiClient {
  /** A client for the cluster of a kubeconfig, or the one this pod runs in. Rejects with KubeconfigError. */
  static async load(options: KubeconfigOptions & ClientOptions = {}): Promise<KubeClient> {
    return new KubeClient(await loadConfig(options), options);
  }

  /** The namespace of the kubeconfig's context or the service account, otherwise `default`. */
  get namespace(): string {
    return this.config.namespace ?? 'default';
  }

  override as(impersonate: Impersonation): KubeClient {
    return new KubeClient(this.config, { ...this.options, impersonate }, this);
  }

  /** A resource by group, version and plural name: `v1/pods`, `apps/v1/deployments`. The types of built-in kinds follow from it. */
  resource<const Name extends BuiltinName>(name: Name, scope?: ResourceScope): ResourceApi<BuiltinObject<Name>, Name>;
  resource<T extends ApiObject = UntypedObject>(name: string | ResourceName, scope?: ResourceScope): ResourceApi<T>;
  resource(name: string | ResourceName, scope?: ResourceScope): ResourceApi<ApiObject> {
    return new ResourceApi(this, parseResourceName(name), scope);
  }

  /** The resource of an object's apiVersion and kind, found by discovery. Rejects with TypeError if there is none. */
  async resourceFor<T extends ApiObject>(object: Pick<T, 'apiVersion' | 'kind'> & { readonly metadata?: ApiObject['metadata'] }) {
    const { group, version } = groupVersionOf(object.apiVersion);
    const found = await resourceOfKind(this, { group, version, kind: object.kind });
    if (found === undefined) throw new TypeError(`the server has no resource for ${object.apiVersion} ${object.kind}`);
    const namespace = found.namespaced ? (object.metadata?.namespace ?? this.namespace) : undefined;
    return new ResourceApi<T>(this, found, { namespace });
  }

  /** All resources in their preferred versions. Groups whose server does not answer are left out and reported. */
  async discover(options: CallOptions & { readonly onError?: (error: unknown) => void } = {}): Promise<DiscoveredResource[]> {
    const { onError, ...call } = options;
    const versions = await preferredVersions(this, call);
    const lists = versions.map(async (apiVersion) => {
      const { group, version } = groupVersionOf(apiVersion);
      return discover(this, group, version, call);
    });
    const settled = await Promise.allSettled(lists);
    for (const each of settled) if (each.status === 'rejected') onError?.(each.reason);
    return settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  }
}

type BuiltinObject<Name extends BuiltinName> = BuiltinResources[Name] & ApiObject;

function groupVersionOf(apiVersion: string): GroupVersion {
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) throw new TypeError(`"${apiVersion}" is not an apiVersion`);
  return parsed;
}
