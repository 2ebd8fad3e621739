import type { Effort } from '@tsukube/machinery';
import { Cancelled } from '@tsukube/storage';
import type { User } from '../http/api-request.ts';
import type { ObjectRegistry } from './object-registry.ts';
import type { ServedVersion, Strategy } from './resource.ts';

/** Who writes, on whose behalf, and in which version. */
export interface WriteContext {
  /** The version of the request; errors are worded for it. */
  readonly version: ServedVersion;
  readonly user: User;
  /** The verb of the request; absent if the server itself writes. */
  readonly verb?: string;
  readonly namespace: string;
  readonly subresource: string;
  /** The resource's strategy, with the subresource's on top of it. */
  readonly strategy: Strategy;
  readonly dryRun: boolean;
  /** Admission has seen the request behind this write, such as an eviction, and is not called again. */
  readonly isAdmitted?: boolean;
  /** The field manager that owns what is written. `null` leaves managedFields as the caller provides them. */
  readonly fieldManager: string | null;
  /** Limits the work of validation; unlimited if absent. */
  readonly effort?: Effort | undefined;
  readonly warn: (text: string) => void;
  /** Whether the request is cancelled: the client is gone, or the deadline has passed. Nothing is written then. */
  readonly isOver: () => boolean;
  /** Called when synchronous work for the write resumes after a wait. */
  readonly onResume?: () => void;
}

/** Saves work whose result would not be written. Throws Cancelled. */
export function throwIfCancelled({ isOver }: WriteContext): void {
  if (isOver()) throw new Cancelled();
}

/** The identity of a component of the server that writes without a request. */
export interface ServerIdentity {
  readonly user: User;
  readonly fieldManager: string;
}

const apiServer: ServerIdentity = {
  user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
  fieldManager: 'kube-apiserver',
};

/** The context of a write that the server makes on its own behalf, in the hub version. */
export function asServer(
  { resource }: ObjectRegistry,
  namespace = '',
  subresource = '',
  { user, fieldManager }: ServerIdentity = apiServer,
): WriteContext {
  return {
    version: resource.hub,
    user,
    namespace,
    subresource,
    strategy: { ...resource.strategy, ...resource.subresources?.[subresource]?.strategy },
    dryRun: false,
    fieldManager,
    warn: () => {},
    isOver: () => false,
  };
}
