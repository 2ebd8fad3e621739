import type { IncomingRequest } from '../http/api-request.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { type Flow, oneSeat, seats, type WorkEstimate } from './flow.ts';

/** Statistics of a resource's stored objects. */
export interface ObjectStats {
  readonly count: number;
  readonly averageBytes: number;
}

export interface WorkEstimatorOptions {
  /** Undefined if the resource is not counted. */
  readonly statsOf: (group: string, resource: string) => ObjectStats | undefined;
  readonly watches: WatchTracker;
}

export type WorkEstimator = (request: IncomingRequest, flow: Flow) => WorkEstimate;

const maxListSeats = 100;
const maxWriteSeats = 10;
const bytesPerSeat = 100_000;
/** Lists from the watch cache are streamed, so they never hold more than this. */
const maxStreamedBytes = 1_000_000;
const watchesPerSeat = 10;
const secondsPerEvent = 0.005;

/** Estimates the seats of a request: lists by the bytes they read, writes by the number of watchers they notify. */
export function workEstimator({ statsOf, watches }: WorkEstimatorOptions): WorkEstimator {
  return function estimate(request, flow) {
    switch (request.info.verb) {
      case 'list':
      case 'watch':
        return estimateList(request, statsOf, limitOf(flow, maxListSeats));
      case 'create':
      case 'update':
      case 'patch':
      case 'delete':
        return estimateWrite(request.info, flow, watches);
      default:
        return oneSeat;
    }
  };
}

function limitOf({ level }: Flow, most: number): number {
  return level.maxSeats === 0 || level.maxSeats > most ? most : level.maxSeats;
}

function estimateList(request: IncomingRequest, statsOf: WorkEstimatorOptions['statsOf'], most: number): WorkEstimate {
  const { info, query } = request;
  const asked = Number(query.get('limit') || 0);
  if (!Number.isInteger(asked)) return seats(most);
  if (info.verb === 'watch' && !sendsState(query)) return oneSeat;
  const stats = statsOf(info.group, info.resource);
  if (!stats || stats.count === 0) return oneSeat;
  const fromMemory = info.verb === 'watch' || isFromMemory(query);
  const bytes = objectsRead(info, query, stats.count, asked, fromMemory) * stats.averageBytes;
  const held = fromMemory ? Math.min(bytes, maxStreamedBytes) : bytes;
  return seats(Math.min(most, Math.max(1, Math.ceil(held / bytesPerSeat))));
}

/** A watch from a resourceVersion sends no initial state. */
function sendsState(query: URLSearchParams): boolean {
  const version = query.get('resourceVersion') ?? '';
  return query.get('sendInitialEvents') === 'true' || version === '' || version === '0';
}

/** Continued pages and exact resourceVersions are not served from the watch cache. */
function isFromMemory(query: URLSearchParams): boolean {
  const match = query.get('resourceVersionMatch') ?? '';
  if (match !== '') return match === 'NotOlderThan';
  if (query.get('continue')) return false;
  const version = query.get('resourceVersion') ?? '';
  return !(Number(query.get('limit') || 0) > 0 && version !== '' && version !== '0');
}

function objectsRead(info: RequestInfo, query: URLSearchParams, count: number, asked: number, fromMemory: boolean): number {
  if (info.name !== '') return 1;
  const limited = asked > 0 ? Math.min(asked, count) : count;
  const selects = Boolean(query.get('fieldSelector') || query.get('labelSelector'));
  return !fromMemory && selects ? Math.max(limited, Math.floor(count / 2)) : limited;
}

/** A write with many watchers keeps its seats while events are dispatched. */
function estimateWrite(info: RequestInfo, flow: Flow, watches: WatchTracker): WorkEstimate {
  if (info.resource === 'serviceaccounts' && info.subresource === 'token') return oneSeat;
  const count = watches.interestedIn(info);
  flow.series.watchCount(count);
  if (count < watchesPerSeat) return oneSeat;
  const wanted = Math.ceil(count / watchesPerSeat);
  const finalSeats = Math.min(wanted, limitOf(flow, maxWriteSeats));
  return { initialSeats: 1, finalSeats, additionalLatency: (wanted * secondsPerEvent) / finalSeats };
}

const reading = new Set(['get', 'list', 'watch', 'proxy']);

/** Counts watchers, because each of them adds work to writes. */
export class WatchTracker {
  readonly #counts = new Map<string, number>();

  /** Counts a watch until the returned function is called. Watches on the pods of one node see few writes and are not counted. */
  register(info: RequestInfo, fieldSelector: string | null): () => void {
    if (info.resource === 'pods' && selectsOneNode(fieldSelector)) return () => {};
    const key = keyOf(info, info.namespace, info.name);
    this.#add(key, 1);
    return () => this.#add(key, -1);
  }

  /** The number of watchers that a write may notify. */
  interestedIn(info: RequestInfo): number {
    if (this.#counts.size === 0 || reading.has(info.verb)) return 0;
    let count = this.#of(keyOf(info, '', ''));
    if (info.namespace !== '') count += this.#of(keyOf(info, info.namespace, ''));
    if (info.name !== '') count += this.#of(keyOf(info, info.namespace, info.name));
    return count;
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  #add(key: string, difference: number): void {
    const count = this.#of(key) + difference;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

function keyOf({ group, resource }: RequestInfo, namespace: string, name: string): string {
  return `${group}/${resource}/${namespace}/${name}`;
}

function selectsOneNode(fieldSelector: string | null): boolean {
  return fieldSelector !== null && /(^|,)spec\.nodeName==?[^,=]/.test(fieldSelector);
}
