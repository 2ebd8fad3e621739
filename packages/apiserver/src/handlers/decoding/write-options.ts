import { FieldErrors, path, StatusError, validateFieldManager } from '@tsukube/machinery';
import type { WriteContext } from '../../registry/object-registry.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn' };
const validations = ['', 'Ignore', 'Strict', 'Warn'];

/** `kind` is the options' own: CreateOptions, UpdateOptions. Fails with 422. */
export function writeOptions(request: ResourceRequest, kind: string): WriteOptions {
  return request.exchange.url.includes('?') ? readOptions(request, kind, new FieldErrors()) : noOptions;
}

export interface PatchOptions extends WriteOptions {
  /** Take what others own. */
  readonly force: boolean;
}

/** Who applies must say who they are; only they may force anything. */
export function patchOptions(request: ResourceRequest, applies: boolean): PatchOptions {
  if (!applies && !request.exchange.url.includes('?')) return { ...noOptions, force: false };
  const errors = new FieldErrors();
  const force = request.query.get('force');
  if (!applies && force !== null) errors.forbidden(path('force'), 'may not be specified for non-apply patch');
  if (applies && !request.query.get('fieldManager')) errors.required(path('fieldManager'), 'is required for apply patch');
  return { ...readOptions(request, 'PatchOptions', errors), force: force !== null && !/^(false|0|)$/i.test(force) };
}

function readOptions(request: ResourceRequest, kind: string, errors: FieldErrors): WriteOptions {
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

/** The context of a write whose author comes to own what it changes. */
export function ownedContext(request: ResourceRequest, options: WriteOptions): WriteContext {
  const fieldManager = options.fieldManager || managerByUserAgent(request.exchange.header('user-agent') ?? '');
  return { ...writeContext(request, options.dryRun), fieldManager };
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const managerLimit = 128;
const maxRemembered = 1000;
const managers = new Map<string, string>();

/** What a client calls itself in front of its version. */
function managerByUserAgent(userAgent: string): string {
  let manager = managers.get(userAgent);
  if (manager === undefined) {
    manager = printableName(userAgent);
    if (managers.size >= maxRemembered) managers.clear();
    managers.set(userAgent, manager);
  }
  return manager;
}

/** As far as it can be printed and fits. */
function printableName(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let name = '';
  let bytes = 0;
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!printable.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > managerLimit) break;
    name += character;
  }
  return name;
}

export function writeContext(request: ResourceRequest, dryRun: boolean): WriteContext {
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
    effort: request.heavy?.effort,
    warn: (text) => request.warn(text),
    isOver: () => request.isOver,
    onResume: () => request.onResume?.(request),
  };
}
