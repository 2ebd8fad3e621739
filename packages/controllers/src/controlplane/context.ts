import type { ObjectRegistry, Resource } from '@tsukube/apiserver';
import type { ServiceRanges } from '@tsukube/builtin';
import type { Store } from '@tsukube/storage';
import type { ControllerContext, RunningController } from '../controller.ts';

/** Where other servers and pods reach this server. */
export interface ServerEndpoint {
  readonly hostname: string;
  /** Undefined if the server listens on a loopback address only. */
  readonly address: string | undefined;
  readonly port: number;
}

export interface ControlPlaneContext extends ControllerContext {
  readonly identity: ServerEndpoint;
  readonly serviceRanges: ServiceRanges;
  readonly store: Store;
  readonly kubernetesService: {
    /** 0 for a Service of type ClusterIP. */
    readonly nodePort: number;
    /** Whether the server manages the Endpoints and EndpointSlice. */
    readonly endpoints: boolean;
  };
  /** Data of the ConfigMap extension-apiserver-authentication. */
  readonly authentication: Readonly<Record<string, string>>;
}

/** A started hook. */
export interface StartedHook extends RunningController {
  /** Health check: throws if the hook no longer works. */
  check?(): void;
  /** Throws if the server must not get requests, although it works. */
  checkReadiness?(): void;
  /** Pre-shutdown hook: other servers take over while this one still answers. */
  withdraw?(): Promise<void>;
}

export interface PostStartHook extends StartedHook {
  readonly name: string;
}

export function registryIn({ resources, registryOf }: ControllerContext, group: string, plural: string): ObjectRegistry {
  const named = ({ names, hub }: Resource) => names.plural === plural && hub.group === group;
  const resource = resources.find(named);
  const registry = resource && registryOf(resource);
  if (!registry) throw new Error(`the resource ${plural}.${group} is not served`);
  return registry;
}
