import type { Effort } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { type Output, protobuf } from '../http/negotiation.ts';
import { adoptDerived, type Derivation } from '../registry/derived.ts';
import type { Resource, VerbHandler } from '../registry/resource.ts';
import type { Offload, ResourceRequest } from '../registry/resource-request.ts';
import { type CacheEntry, isReadable } from '../watchcache/entry.ts';

/** Thrown when a body is too heavy for the event loop, before any other work for the request. */
export class HeavyBody extends Error {
  override readonly name = 'HeavyBody';
  readonly body: Buffer;
  constructor(body: Buffer) {
    super('the body is processed by a worker thread');
    this.body = body;
  }
}

/** Thrown when the work for a request turns out to be too much for the event loop, before any write. */
export class HeavyWork extends Error {
  override readonly name = 'HeavyWork';
  constructor() {
    super('the request is processed by a worker thread');
  }
}

/** Schema visits and CEL cost that take about 20 ms each. */
const lightEffort: Effort = { visits: 100_000, ruleCost: 1_500_000, exceeded: () => new HeavyWork() };

export interface HeavyRequestsOptions {
  readonly limits: LightLimits;
  /** Whether workers cannot serve a resource. */
  readonly isLocal: (resource: Resource) => boolean;
  /** Serves a request on a worker thread. */
  readonly offload: (request: ResourceRequest, body: Buffer) => Promise<Answer>;
  /** Makes a derivation on a worker thread. */
  readonly derive: (request: ResourceRequest, entry: CacheEntry, what: Derivation) => Promise<Buffer>;
  /** Converts JSON to another format on a worker thread. */
  readonly convert: (request: ResourceRequest, json: Buffer, output: Output) => Promise<Uint8Array>;
  readonly readBody: (request: ResourceRequest) => Promise<Buffer>;
}

const namedWrites: ReadonlySet<string> = new Set(['update', 'patch', 'delete']);
const nothing = Buffer.alloc(0);
const jsonPatch = 'application/json-patch+json';

/** JSON patches can grow a small object by copy operations. */
function mayGrow({ info, exchange }: ResourceRequest): boolean {
  return info.verb === 'patch' && exchange.header('content-type')?.startsWith(jsonPatch) === true;
}

/** Decides which requests are offloaded: those whose body or object would block the event loop. */
export class HeavyRequests implements Offload {
  readonly #limits: LightLimits;
  readonly #options: HeavyRequestsOptions;
  readonly #deriving = new WeakMap<CacheEntry, Map<string, Promise<void>>>();

  constructor(options: HeavyRequestsOptions) {
    this.#limits = options.limits;
    this.#options = options;
  }

  effortOf(resource: Resource): Effort | undefined {
    return this.#options.isLocal(resource) ? undefined : lightEffort;
  }

  write(handler: VerbHandler, request: ResourceRequest): Answer | Promise<Answer> {
    const { info, objects, exchange, resource, version } = request;
    if (info.name !== '' && (namedWrites.has(info.verb) || info.subresource !== '')) {
      const loading = objects.cache.loaded();
      // The handler reports a failed load.
      if (loading)
        return loading.then(
          () => this.write(handler, request),
          () => this.#unlessHeavy(handler(request), request),
        );
      const entry = objects.cache.peek(`${objects.prefix(info.namespace)}${info.name}`);
      if (entry && isReadable(entry) && this.#isHeavyToWrite(entry, request)) return this.#writeElsewhere(request);
    }
    const length = exchange.header('content-length');
    const isShort = length !== undefined && Number(length) * (resource.writeCost ?? 1) <= this.#limits.bytes;
    // The schema of a custom object may be costly for a small body.
    const isLight = isShort && !version.schema.form && !mayGrow(request);
    const answer = handler(request);
    if (!isLight) return this.#unlessHeavy(answer, request);
    // Admission may turn out to be costly for any request.
    return answer instanceof Promise ? answer.catch((error: unknown) => this.#afterHeavy(error, request)) : answer;
  }

  isHeavyObject({ value }: CacheEntry, { resource }: ResourceRequest): boolean {
    return isHeavyText(value, this.#limits) && !this.#options.isLocal(resource);
  }

  #isHeavyToWrite({ value }: CacheEntry, { resource }: ResourceRequest): boolean {
    return this.#isHeavyText(value, resource) && !this.#options.isLocal(resource);
  }

  isHeavyBody(body: Buffer, request: ResourceRequest): boolean {
    return this.#isHeavy(body, request) && !this.#options.isLocal(request.resource);
  }

  #isHeavy(body: Buffer, { exchange, resource, info }: ResourceRequest): boolean {
    const type = exchange.header('content-type') ?? '';
    if (type.startsWith(protobuf)) return isHeavyMessage(body, this.#limits, resource.writeCost);
    if (info.verb === 'patch' && type.startsWith(jsonPatch) && body.includes('"copy"')) return true;
    return this.#isHeavyText(body, resource);
  }

  #isHeavyText(bytes: Uint8Array, { writeCost, compilesTexts }: Resource): boolean {
    return isHeavyText(bytes, this.#limits, writeCost) || (compilesTexts === true && hasLongText(bytes, this.#limits));
  }

  read(request: ResourceRequest): Promise<Answer> {
    return this.#options.offload(request, nothing);
  }

  derive(request: ResourceRequest, entry: CacheEntry, what: Derivation): Promise<void> {
    const { version } = request;
    const underWay = this.#deriving.get(entry) ?? new Map<string, Promise<void>>();
    const key = `${what} ${version.group}/${version.version}`;
    const known = underWay.get(key);
    if (known) return known;
    const deriving = this.#options.derive(request, entry, what).then(
      (bytes) => adoptDerived(entry, version, what, bytes),
      () => {},
    );
    underWay.set(key, deriving);
    this.#deriving.set(entry, underWay);
    return deriving;
  }

  convert(request: ResourceRequest, json: Buffer, output: Output): Promise<Uint8Array> {
    return this.#options.convert(request, json, output);
  }

  async #writeElsewhere(request: ResourceRequest): Promise<Answer> {
    return this.#options.offload(request, await this.#options.readBody(request));
  }

  async #unlessHeavy(answer: Answer | Promise<Answer>, request: ResourceRequest): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      return this.#afterHeavy(error, request);
    }
  }

  #afterHeavy(error: unknown, request: ResourceRequest): Promise<Answer> {
    if (error instanceof HeavyBody) return this.#options.offload(request, error.body);
    if (error instanceof HeavyWork) return this.#options.offload(request, request.receivedBody ?? nothing);
    throw error;
  }
}

/** Limits for work on the event loop, estimated from bytes. */
export interface LightLimits {
  /** Bodies and objects up to this size are light without a scan. */
  readonly bytes: number;
  /** The number of values in a body or object; a KiB of text counts as one. */
  readonly values: number;
}

/** By measurement, lighter requests block the event loop for less than 40 ms, whatever the kind (see docs/performance.md). */
export const lightLimits: LightLimits = { bytes: 8 * 1024, values: 1500 };

const isStructural = new Uint8Array(256);
for (const character of ',[{\n') isStructural[character.charCodeAt(0)] = 1;

/** Whether JSON or YAML is too heavy for the event loop. `factor` is the kind's cost of a value. */
export function isHeavyText(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  if (bytes.length * factor <= limits.bytes) return false;
  let left = limits.values / factor - bytes.length / 1024;
  for (let i = 0; i < bytes.length && left >= 0; i++) left -= isStructural[bytes[i] as number] as number;
  return left < 0;
}

/** Compiling a pattern takes about 7 µs for each character. */
const longText = 4 * 1024;

/** Whether there is a long string without structural characters. Text with many of them is heavy anyway. */
export function hasLongText(bytes: Uint8Array, limits: LightLimits): boolean {
  if (bytes.length <= limits.bytes) return false;
  let start = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (isStructural[bytes[i] as number] === 0) continue;
    if (i - start > longText) return true;
    start = i;
  }
  return bytes.length - start > longText;
}

/** Protobuf fields are small and cannot be counted without decoding. */
export function isHeavyMessage(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  return bytes.length * factor > 2 * limits.bytes;
}
