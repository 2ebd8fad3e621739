import type { Effort } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { type Output, protobuf } from '../http/negotiation.ts';
import { adoptDerived, type Derivation } from '../registry/derived.ts';
import type { Resource, VerbHandler } from '../registry/resource.ts';
import type { Offload, ResourceRequest } from '../registry/resource-request.ts';
import { type CacheEntry, isReadable } from '../watchcache/entry.ts';

/** Thrown by whoever reads a body that is too heavy for the event loop, before anything has been done for the request. */
export class HeavyBody extends Error {
  override readonly name = 'HeavyBody';
  readonly body: Buffer;
  constructor(body: Buffer) {
    super('the body is processed by a worker thread');
    this.body = body;
  }
}

/** Thrown where the work for a request turns out to be too much for the event loop, before anything has been written. */
export class HeavyWork extends Error {
  override readonly name = 'HeavyWork';
  constructor() {
    super('the request is processed by a worker thread');
  }
}

/** Visits of a schema and CEL cost that take about 20 ms each. */
const lightEffort: Effort = { visits: 100_000, ruleCost: 1_500_000, exceeded: () => new HeavyWork() };

export interface HeavyRequestsOptions {
  readonly limits: LightLimits;
  /** Whether a resource is known to this thread only. */
  readonly isLocal: (resource: Resource) => boolean;
  /** Runs a request elsewhere than on the event loop. */
  readonly offload: (request: ResourceRequest, body: Buffer) => Promise<Answer>;
  /** Derives something of an entry elsewhere. */
  readonly derive: (request: ResourceRequest, entry: CacheEntry, what: Derivation) => Promise<Buffer>;
  /** Writes JSON in another form. */
  readonly convert: (request: ResourceRequest, json: Buffer, output: Output) => Promise<Uint8Array>;
  readonly readBody: (request: ResourceRequest) => Promise<Buffer>;
}

const namedWrites: ReadonlySet<string> = new Set(['update', 'patch', 'delete']);
const nothing = Buffer.alloc(0);
const jsonPatch = 'application/json-patch+json';

/** A few operations that copy may make a large object of a small one. */
function mayGrow({ info, exchange }: ResourceRequest): boolean {
  return info.verb === 'patch' && exchange.header('content-type')?.startsWith(jsonPatch) === true;
}

/** Decides which requests leave the event loop: those whose body or object would hold it for long. */
export class HeavyRequests implements Offload {
  readonly #limits: LightLimits;
  readonly #options: HeavyRequestsOptions;
  readonly #deriving = new WeakMap<CacheEntry, Map<string, Promise<void>>>();

  /** How much work may be done here for one write. */
  readonly effort = lightEffort;

  constructor(options: HeavyRequestsOptions) {
    this.#limits = options.limits;
    this.#options = options;
  }

  /** Serves a write. */
  write(handler: VerbHandler, request: ResourceRequest): Answer | Promise<Answer> {
    const { info, objects, exchange, resource, version } = request;
    if (info.name !== '' && (namedWrites.has(info.verb) || info.subresource !== '')) {
      const loading = objects.cache.loaded();
      // What cannot be loaded is told by the handler.
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
    // Schemas of custom objects may make much work of little.
    const isLight = isShort && !version.schema.form && !mayGrow(request);
    return isLight ? handler(request) : this.#unlessHeavy(handler(request), request);
  }

  /** Whether the object is converted to another representation elsewhere. */
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

  /** Serves a read whose answer takes long to make. */
  read(request: ResourceRequest): Promise<Answer> {
    return this.#options.offload(request, nothing);
  }

  /**
   * Derives something of a heavy entry elsewhere, once for all who want it. Never fails: if it cannot be done there, whoever
   * needs it does it here.
   */
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

  /** JSON as YAML, or indented. */
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
      if (error instanceof HeavyBody) return this.#options.offload(request, error.body);
      if (error instanceof HeavyWork) return this.#options.offload(request, request.receivedBody ?? nothing);
      throw error;
    }
  }
}

/** What a request may cost on the event loop, by what can be told of its bytes. */
export interface LightLimits {
  /** Bodies and objects up to this size are not looked at. */
  readonly bytes: number;
  /** Values in a body or object, where a KiB of text counts as one. */
  readonly values: number;
}

/** Measured so that what is lighter holds the event loop for less than 40 ms, whatever the kind (see docs/performance.md). */
export const lightLimits: LightLimits = { bytes: 8 * 1024, values: 1500 };

const isStructural = new Uint8Array(256);
for (const character of ',[{\n') isStructural[character.charCodeAt(0)] = 1;

/** Whether bytes hold so much JSON or YAML that it is not processed on the event loop. `factor` is what a value costs in the kind. */
export function isHeavyText(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  if (bytes.length * factor <= limits.bytes) return false;
  let left = limits.values / factor - bytes.length / 1024;
  for (let i = 0; i < bytes.length && left >= 0; i++) left -= isStructural[bytes[i] as number] as number;
  return left < 0;
}

/** A text that takes long to compile: a pattern takes some 7 µs for each character. */
const longText = 4 * 1024;

/** Whether bytes hold a long text without a structural character. Those with many are heavy anyway. */
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

/** A field of protobuf takes few bytes, and nothing tells how many there are. */
export function isHeavyMessage(bytes: Uint8Array, limits: LightLimits, factor = 1): boolean {
  return bytes.length * factor > 2 * limits.bytes;
}
