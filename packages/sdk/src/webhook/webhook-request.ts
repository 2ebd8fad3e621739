import type { AdmissionOperation } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';

/** A request under review. The functions need no `this`: handlers may destructure the request. */
export interface WebhookRequest<T, Old = T | undefined> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** Empty if the server generates the name. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** `status`, `eviction`, …; empty for the resource itself. */
  readonly subresource: string;
  /** The object as it will be stored. Undefined for DELETE, the options of the connection for CONNECT. */
  readonly object: T;
  /** The stored object. Undefined for CREATE and CONNECT. */
  readonly oldObject: Old;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions of the request. */
  readonly options: JsonObject | undefined;
  /** Nothing will be stored: the handler must not have side effects. */
  readonly dryRun: boolean;
  readonly userInfo: RequestUser;
  /** Aborted when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;

  /** Ends the handler. The request is admitted as it came: changes of the object are dropped. */
  readonly allow: () => never;
  /** Ends the handler. The request is refused with this message and HTTP status, 403 by default. */
  readonly deny: (message: string, code?: number) => never;
  /** Sends a warning to the client; kubectl prints it. */
  readonly warn: (message: string) => void;
  /** Adds an annotation to the audit event. The server prefixes the key with the name of the webhook. */
  readonly auditAnnotation: (key: string, value: string) => void;
}

export interface RequestUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}
