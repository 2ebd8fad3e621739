import type { Delegate, IncomingRequest, ShutdownNotice, User } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { BodyTooLarge, NoRoomForBody, type RequestMemory } from '@tsukube/transport';
import { answerResult, type SubresourceResult } from '../subresource/result.ts';

/** A request for a path that is not that of a defined resource, after authentication and authorization. */
export interface PathRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: User;
  /** Aborted when the client is gone, or at the deadline. */
  readonly signal: AbortSignal;
  /** A header by its name in lower case. */
  header(name: string): string | undefined;
  /** The body, up to 3 MiB. Rejects with 413 or 429. */
  body(): Promise<Buffer>;
}

/**
 * Answers requests of an API that is not made of resources, such as custom metrics. False if the path belongs to another handler, decided
 * at once; otherwise a result as of a subresource. Throw StatusError for other statuses.
 */
export type PathHandler = (request: PathRequest) => false | SubresourceResult | Promise<SubresourceResult>;

export function pathDelegate(handler: PathHandler, shutdown: ShutdownNotice, memory: RequestMemory): Delegate {
  return (request) => {
    const result = handler(pathRequest(request, memory));
    if (result === false) return undefined;
    const answer = (settled: SubresourceResult) => answerResult(settled, shutdown);
    return result instanceof Promise ? result.then(answer) : answer(result);
  };
}

function pathRequest(request: IncomingRequest, memory: RequestMemory): PathRequest {
  return {
    method: request.method,
    path: request.path,
    query: request.query,
    user: request.user,
    get signal() {
      return request.signal;
    },
    header: (name) => request.exchange.header(name),
    body: () => readBody(request, memory),
  };
}

const maxBodyBytes = 3 * 2 ** 20;

async function readBody({ exchange, user }: IncomingRequest, memory: RequestMemory): Promise<Buffer> {
  try {
    return await exchange.body(maxBodyBytes, memory.admitting(exchange, user.name));
  } catch (error) {
    if (error instanceof BodyTooLarge) throw StatusError.requestEntityTooLarge(`limit is ${error.limit}`);
    if (error instanceof NoRoomForBody) throw StatusError.tooManyRequests('too many bodies of requests are under way', 1);
    throw error;
  }
}
