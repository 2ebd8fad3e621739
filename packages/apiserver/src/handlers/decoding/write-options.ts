import {
  BoundedCache,
  FieldErrors,
  isQualifiedName,
  type JsonObject,
  path,
  StatusError,
  validateFieldManager,
} from '@tsukube/machinery';
import type { AdmissionOperation } from '../../registry/admission.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { plainOptions, type WriteContext } from '../../registry/write-context.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodedWriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const noOptions: DecodedWriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn' };
const validations = ['', 'Ignore', 'Strict', 'Warn'];

/** Reads CreateOptions or UpdateOptions, as `kind` says, from the query. Throws Invalid. */
export function writeOptions(request: ResourceRequest, kind: string): DecodedWriteOptions {
  return request.exchange.url.includes('?') ? readOptions(request, kind, new FieldErrors()) : noOptions;
}

export interface PatchOptions extends DecodedWriteOptions {
  /** Take over fields that other managers own. */
  readonly force: boolean;
}

/** Reads PatchOptions. Apply requires a fieldManager; only apply may force. */
export function patchOptions(request: ResourceRequest, applies: boolean): PatchOptions {
  if (!applies && !request.exchange.url.includes('?')) return { ...noOptions, force: false };
  const errors = new FieldErrors();
  const force = request.query.get('force');
  if (!applies && force !== null) errors.forbidden(path('force'), 'may not be specified for non-apply patch');
  if (applies && !request.query.get('fieldManager')) errors.required(path('fieldManager'), 'is required for apply patch');
  return { ...readOptions(request, 'PatchOptions', errors), force: force !== null && !/^(false|0|)$/i.test(force) };
}

function readOptions(request: ResourceRequest, kind: string, errors: FieldErrors): DecodedWriteOptions {
  const { query } = request;
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (fieldManager !== '') validateFieldManager(fieldManager, path('fieldManager'), errors);
  validateDryRun(dryRun, errors);
  if (!validations.includes(fieldValidation)) errors.notSupported(path('fieldValidation'), fieldValidation, validations);
  if (errors.length > 0) throw StatusError.invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return { dryRun: dryRun.length > 0, fieldManager, fieldValidation: (fieldValidation || 'Warn') as FieldValidation };
}

export function validateDryRun(dryRun: readonly string[], errors: FieldErrors): void {
  if (dryRun.some((value) => value !== 'All')) errors.notSupported(path('dryRun'), [...dryRun], ['All']);
}

/** The registry's view of a write request. A `fieldManager` of null leaves managedFields alone. */
export function writeContext(request: ResourceRequest, dryRun: boolean, fieldManager: string | null): WriteContext {
  const { info, resource, subresource, version, user } = request;
  const strategy = subresource?.strategy ? { ...resource.strategy, ...subresource.strategy } : resource.strategy;
  return {
    version,
    user,
    verb: info.verb,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    subresource: info.subresource,
    strategy,
    dryRun,
    fieldManager,
    effort: request.heavy?.effortOf(request.resource),
    warn: (text) => request.warn(text),
    annotate: (key, value, level) => annotate(request, key, value, level),
    options: (operation) => optionsIn(request.query, operation),
    signal: () => request.signal,
    isOver: () => request.isOver,
    onResume: () => request.onResume?.(request),
  };
}

const requestLevels: readonly unknown[] = ['Request', 'RequestResponse'];

function annotate(request: ResourceRequest, key: string, value: string, level = 'Metadata'): void {
  if (level === 'Request' && !requestLevels.includes(request.notes?.rule.level)) return;
  if (annotationKeys.getOrCreate(key, isAnnotationKey)) request.annotate(key, value);
}

/** Plugins use few keys, but those of webhooks are unbounded. */
const annotationKeys = new BoundedCache<string, boolean>({ entries: 1000 });

function isAnnotationKey(key: string): boolean {
  return key.includes('/') && isQualifiedName(key).length === 0;
}

/** The options in the query, as admission sees them. */
function optionsIn(query: URLSearchParams, operation: AdmissionOperation): JsonObject | undefined {
  const options = plainOptions(operation);
  if (!options) return undefined;
  const dryRun = query.getAll('dryRun');
  if (dryRun.length > 0) options.dryRun = dryRun;
  for (const name of ['fieldManager', 'fieldValidation']) {
    const value = query.get(name);
    if (value) options[name] = value;
  }
  return options;
}

const managers = new BoundedCache<string, string>({ entries: 1000, bytes: 1 << 20, sizeOf: (_, userAgent) => userAgent.length });

/** The field manager of a request: the option, or by default the product name of the User-Agent. */
export function fieldManagerOf(request: ResourceRequest, options: DecodedWriteOptions): string {
  return options.fieldManager || managers.getOrCreate(request.exchange.header('user-agent') ?? '', productName);
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const maxManagerBytes = 128;

/** The text before the first slash, without unprintable characters and within the length limit. */
function productName(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let name = '';
  let bytes = 0;
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!printable.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > maxManagerBytes) break;
    name += character;
  }
  return name;
}
