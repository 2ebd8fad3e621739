import type { ObjectRegistry, Resource } from '@tsukube/apiserver';
import type { ServiceRanges } from '@tsukube/builtin';
import type { Store } from '@tsukube/storage';
import type { Controller, ControllerContext } from '../controller.ts';

/** How this server is known to those that share its store, and to those that run in what it serves. */
export interface ServerIdentity {
  readonly hostname: string;
  /** Where it can be reached from elsewhere; absent if it cannot. */
  readonly address: string | undefined;
  readonly port: number;
}

export interface AnnouncementContext extends ControllerContext {
  readonly identity: ServerIdentity;
  readonly serviceRanges: ServiceRanges;
  readonly store: Store;
  readonly kubernetesService: {
    /** 0 for a Service of type ClusterIP. */
    readonly nodePort: number;
    /** Whether its endpoints are kept. */
    readonly endpoints: boolean;
  };
  /** What the ConfigMap about the authentication of this server says. */
  readonly authentication: Readonly<Record<string, string>>;
}

/** Something that is announced from now on. */
export interface Announced extends Controller {
  /** Throws if it can no longer be relied on. */
  check?(): void;
}

export interface Announcement extends Announced {
  readonly name: string;
}

/** Whether other servers may share the store: one that lives in this process has no others. */
export function isShared({ store }: AnnouncementContext): boolean {
  return store.tap === undefined;
}

export function registryIn({ resources, registryOf }: ControllerContext, group: string, plural: string): ObjectRegistry {
  const named = ({ names, hub }: Resource) => names.plural === plural && hub.group === group;
  const resource = resources.find(named);
  const registry = resource && registryOf(resource);
  if (!registry) throw new Error(`there is no resource ${plural}.${group}`);
  return registry;
}
