import { setTimeout as pause } from 'node:timers/promises';
import type { Metadata } from '../../grpc/calls.ts';
import { channelBackoff } from '../../grpc/channel.ts';
import type { GrpcMethod } from '../../grpc/protobuf.ts';
import { Cancelled, Unavailable } from '../../store.ts';
import { authenticateMethod, type EtcdCredentials } from './cluster.ts';
import { isAuthenticationOff, isStaleToken, isTransient } from './errors.ts';
import type { EtcdMembers } from './members.ts';

interface EtcdClientOptions {
  readonly timeoutMs: number;
  readonly credentials?: EtcdCredentials | undefined;
}

type Kind = 'read' | 'write';

const MAX_RENEWALS = 3;

/**
 * Client of an etcd cluster. Each call has a deadline and is retried with backoff at another member while that is safe and time
 * is left.
 */
export class EtcdClient {
  readonly members: EtcdMembers;
  readonly timeoutMs: number;
  readonly #session: AuthToken;
  /** Writes in flight, with their cancellation checks. */
  readonly #writes = new Map<Promise<unknown>, IsCancelled | undefined>();
  #closed = false;

  constructor(members: EtcdMembers, { timeoutMs, credentials }: EtcdClientOptions) {
    this.members = members;
    this.timeoutMs = timeoutMs;
    this.#session = new AuthToken(credentials && (() => this.#token(credentials)));
  }

  /** For idempotent requests: retried after any transient error. */
  read<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    timeoutMs = this.timeoutMs,
  ): Promise<Response> {
    return this.#call('read', method, request, { session: this.#session, deadline: performance.now() + timeoutMs });
  }

  /** For requests that must not be repeated: retried only if etcd certainly did not apply them. */
  write<Request, Response>(
    method: GrpcMethod<Request, Response>,
    request: Request,
    isCancelled?: IsCancelled,
  ): Promise<Response> {
    const deadline = performance.now() + this.timeoutMs;
    const call = this.#call('write', method, request, { session: this.#session, deadline, isCancelled });
    const forget = () => this.#writes.delete(call);
    this.#writes.set(call, isCancelled);
    call.then(forget, forget);
    return call;
  }

  /** Settles with the writes in flight that were cancelled after they were sent; undefined if there are none. */
  cancelledUnderWay(): Promise<void> | undefined {
    const late = [...this.#writes].flatMap(([call, isCancelled]) => (isCancelled?.() ? [call] : []));
    return late.length > 0 ? Promise.allSettled(late).then(() => {}) : undefined;
  }

  async metadata(): Promise<Metadata> {
    return this.#session.metadata ?? this.#session.renew();
  }

  get closed(): boolean {
    return this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#writes.keys());
    this.members.close();
  }

  async #call<Request, Response>(
    kind: Kind,
    method: GrpcMethod<Request, Response>,
    request: Request,
    options: CallOptions,
  ): Promise<Response> {
    const { session, deadline, isCancelled } = options;
    for (let attempt = 0; ; attempt++) {
      this.#checkOpen();
      const metadata = session.metadata ?? (await session.renew());
      const member = this.members.next() ?? (await this.members.ready(deadline));
      if (isCancelled?.()) throw new Cancelled();
      try {
        return await member.call(method, request, metadata, this.#attemptDeadline(kind, deadline));
      } catch (error) {
        if (isStaleToken(error) && attempt < MAX_RENEWALS) await session.renew(metadata);
        else await this.#waitForNext(kind, error, attempt, deadline);
      }
    }
  }

  /** With several members a read attempt gets half of the time left, so that a hanging member does not use up the deadline. */
  #attemptDeadline(kind: Kind, deadline: number): number {
    return kind === 'read' && this.members.size > 1 ? (performance.now() + deadline) / 2 : deadline;
  }

  /** Waits for the backoff, or rethrows the error if the call must not be retried. */
  async #waitForNext(kind: Kind, error: unknown, attempt: number, deadline: number): Promise<void> {
    const repeatable = isTransient(error) && (kind === 'read' || error.unwritten);
    const delay = channelBackoff(attempt);
    if (!repeatable || this.#closed || performance.now() + delay >= deadline) throw error;
    await pause(delay);
  }

  async #token(credentials: EtcdCredentials): Promise<string | undefined> {
    const options = { session: ANONYMOUS, deadline: performance.now() + this.timeoutMs };
    try {
      return await this.#call('read', authenticateMethod, credentials, options);
    } catch (error) {
      if (isAuthenticationOff(error)) return undefined;
      throw new Unavailable(`etcd: cannot authenticate as ${credentials.username}`, { cause: error, unwritten: true });
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the store is closed', { unwritten: true });
  }
}

export type IsCancelled = () => boolean;

interface CallOptions {
  readonly session: AuthToken;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly isCancelled?: IsCancelled | undefined;
}

/** Request metadata: the auth token, and `hasleader`, which makes a member without a leader fail the request at once. */
class AuthToken {
  readonly #authenticate: (() => Promise<string | undefined>) | undefined;
  #metadata: Metadata | undefined;
  #renewal: Promise<Metadata> | undefined;

  /** Without `authenticate` requests carry no token. */
  constructor(authenticate?: () => Promise<string | undefined>) {
    this.#authenticate = authenticate;
    if (!authenticate) this.#metadata = metadataOf(undefined);
  }

  /** Undefined until the first authentication. */
  get metadata(): Metadata | undefined {
    return this.#metadata;
  }

  /** Fetches a new token, unless another call already replaced `stale`. */
  async renew(stale?: Metadata): Promise<Metadata> {
    if (this.#metadata && this.#metadata !== stale) return this.#metadata;
    this.#renewal ??= this.#renew().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renew(): Promise<Metadata> {
    this.#metadata = metadataOf(await this.#authenticate?.());
    return this.#metadata;
  }
}

function metadataOf(token: string | undefined): Metadata {
  return token ? { hasleader: 'true', token } : { hasleader: 'true' };
}

const ANONYMOUS = new AuthToken();
