import type { Answer } from '../http/answer.ts';
import { protobuf } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import type { Resource, VerbHandler } from '../resource.ts';
import { type CacheEntry, isReadable } from '../watchcache/entry.ts';
import { hasLongText, isHeavyMessage, isHeavyText, type LightLimits } from './weight.ts';

/** Thrown by whoever reads a body that is too heavy for the event loop, before anything has been done for the request. */
export class HeavyBody extends Error {
  override readonly name = 'HeavyBody';
  readonly body: Buffer;
  constructor(body: Buffer) {
    super('the body is processed by a worker thread');
    this.body = body;
  }
}

export interface HeavyRequestsOptions {
  readonly limits: LightLimits;
  /** Whether a resource is known to this thread only. */
  readonly isLocal: (resource: Resource) => boolean;
  /** Runs a request elsewhere than on the event loop. */
  readonly offload: (request: ResourceRequest, body: Buffer) => Promise<Answer>;
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
export class HeavyRequests {
  readonly #limits: LightLimits;
  readonly #options: HeavyRequestsOptions;

  constructor(options: HeavyRequestsOptions) {
    this.#limits = options.limits;
    this.#options = options;
  }

  /** Serves a write. */
  write(handler: VerbHandler, request: ResourceRequest): Answer | Promise<Answer> {
    const { info, objects, exchange } = request;
    if (info.name !== '' && (namedWrites.has(info.verb) || info.subresource !== '')) {
      const loading = objects.cache.loaded();
      if (loading) return loading.then(() => this.write(handler, request));
      const entry = objects.cache.peek(`${objects.prefix(info.namespace)}${info.name}`);
      if (entry && isReadable(entry) && this.isHeavyObject(entry, request)) return this.#writeElsewhere(request);
    }
    const length = exchange.header('content-length');
    const isLight = length !== undefined && Number(length) <= this.#limits.bytes && !mayGrow(request);
    return isLight ? handler(request) : this.#unlessHeavy(handler(request), request);
  }

  /** Whether the object is converted to another representation elsewhere. */
  isHeavyObject({ value }: CacheEntry, { resource }: ResourceRequest): boolean {
    return this.#isHeavyText(value, resource) && !this.#options.isLocal(resource);
  }

  isHeavyBody(body: Buffer, { exchange, resource }: ResourceRequest): boolean {
    return this.#isHeavy(body, exchange.header('content-type') ?? '', resource) && !this.#options.isLocal(resource);
  }

  #isHeavy(body: Buffer, type: string, resource: Resource): boolean {
    if (type.startsWith(protobuf)) return isHeavyMessage(body, this.#limits, resource.writeCost);
    if (type.startsWith(jsonPatch) && body.includes('"copy"')) return true;
    return this.#isHeavyText(body, resource);
  }

  #isHeavyText(bytes: Uint8Array, { writeCost, compilesTexts }: Resource): boolean {
    return isHeavyText(bytes, this.#limits, writeCost) || (compilesTexts === true && hasLongText(bytes, this.#limits));
  }

  /** Serves a read whose answer takes long to make. */
  read(request: ResourceRequest): Promise<Answer> {
    return this.#options.offload(request, nothing);
  }

  async #writeElsewhere(request: ResourceRequest): Promise<Answer> {
    return this.#options.offload(request, await this.#options.readBody(request));
  }

  async #unlessHeavy(answer: Answer | Promise<Answer>, request: ResourceRequest): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof HeavyBody)) throw error;
      return this.#options.offload(request, error.body);
    }
  }
}
