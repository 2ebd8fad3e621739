import type { CallOptions, RestRequest } from './api-client.ts';
import { type QueryValue, withQuery } from './resource-name.ts';

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** The server does everything but store the object. */
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over that belong to other managers. */
  readonly force?: boolean;
}

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export type Patch =
  /** RFC 7386. `null` removes a field; lists are replaced. */
  | { readonly type: 'merge'; readonly patch: object }
  /** RFC 6902. */
  | { readonly type: 'json'; readonly patch: readonly JsonPatchOperation[] }
  /** Lists are merged by their keys. Built-in kinds only. */
  | { readonly type: 'strategic'; readonly patch: object };

export function writeQuery({ fieldManager, fieldValidation, dryRun }: WriteOptions): Record<string, QueryValue> {
  return { fieldManager, fieldValidation, dryRun: dryRun ? 'All' : undefined };
}

const contentTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export function patchRequest(path: string, { type, patch }: Patch, options: WriteOptions): RestRequest {
  const { signal, timeoutMs } = options;
  const contentType = contentTypes[type];
  return { method: 'PATCH', path: withQuery(path, writeQuery(options)), body: patch, contentType, signal, timeoutMs };
}

export function applyRequest(path: string, body: object, options: ApplyOptions): RestRequest {
  const { signal, timeoutMs, force } = options;
  return {
    method: 'PATCH',
    path: withQuery(path, { ...writeQuery(options), force: force || undefined }),
    body,
    contentType: 'application/apply-patch+yaml',
    idempotent: true,
    signal,
    timeoutMs,
  };
}
