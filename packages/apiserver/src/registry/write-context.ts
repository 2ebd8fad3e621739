import type { Effort, JsonObject, KubeObject } from '@tsukube/machinery';
import { Cancelled } from '@tsukube/storage';
import type { User } from '../http/api-request.ts';
import type { AdmissionOperation, Annotate } from './admission.ts';
import type { ObjectRegistry } from './object-registry.ts';
import type { ServedVersion, Strategy } from './resource.ts';

/** The user, version and options of a write. */
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
  /** Validating admission of an update whose admission sees another kind than the resource's, such as Scale. */
  readonly validateUpdate?: (object: KubeObject, old: KubeObject) => void | Promise<void>;
  /** The field manager that owns what is written. `null` leaves managedFields as the caller provides them. */
  readonly fieldManager: string | null;
  /** Limits the work of validation; unlimited if absent. */
  readonly effort?: Effort | undefined;
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event; absent if the server itself writes. */
  readonly annotate?: Annotate;
  /** The options of the request as those of an operation, for admission: a PUT may create. A connect has none. */
  readonly options?: (operation: AdmissionOperation) => JsonObject | undefined;
  /** Aborted when the request is cancelled; absent if the server itself writes. */
  readonly signal?: () => AbortSignal;
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

const optionKinds: Readonly<Record<AdmissionOperation, string | undefined>> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: undefined,
};

/** The options of an operation with none set. */
export function plainOptions(operation: AdmissionOperation): JsonObject | undefined {
  const kind = optionKinds[operation];
  return kind === undefined ? undefined : { kind, apiVersion: 'meta.k8s.io/v1' };
}

/**
 * The context of a write that the server makes before it serves requests. It is not admitted, because a webhook or policy must
 * not be able to keep the server from starting.
 */
export function asBootstrap(registry: ObjectRegistry, namespace = ''): WriteContext {
  return { ...asServer(registry, namespace), isAdmitted: true };
}

/** The context of a write that the server makes on its own behalf, in the hub version. It is admitted as one by a client. */
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
    options: plainOptions,
    fieldManager,
    warn: () => {},
    isOver: () => false,
  };
}
