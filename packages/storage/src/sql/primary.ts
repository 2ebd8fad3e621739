import type { SqlFailure } from './dialect.ts';
import type { SqlHost } from './dsn.ts';

/** No host of several takes writes. */
export class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
  readonly failure: SqlFailure;
  constructor(message: string, failure: SqlFailure, options: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

/** The failure of all hosts is the first of these that one of them has: a retry helps if it would help with one of the hosts. */
const MOST_RETRIABLE_FIRST: readonly SqlFailure[] = ['lost', 'retry', 'read-only', 'full', 'other', 'refused'];

type Connect<Session> = (host: SqlHost, timeoutMs: number) => Promise<Session>;

/** Finds the host that takes writes, beginning with the one that took them last. */
export class PrimaryFinder<Session> {
  readonly #hosts: readonly SqlHost[];
  readonly #connect: Connect<Session>;
  readonly #failureOf: (error: unknown) => SqlFailure;
  #last = 0;

  /** `connect` must reject if the host takes no writes. */
  constructor(hosts: readonly SqlHost[], connect: Connect<Session>, failureOf: (error: unknown) => SqlFailure) {
    this.#hosts = hosts;
    this.#connect = connect;
    this.#failureOf = failureOf;
  }

  /** Hosts share the time equally, so that one that does not answer leaves time for the next. */
  async connect(timeoutMs: number): Promise<Session> {
    const deadline = performance.now() + timeoutMs;
    const hosts = [...this.#hosts.slice(this.#last), ...this.#hosts.slice(0, this.#last)];
    const failures: { readonly host: SqlHost; readonly error: unknown }[] = [];
    for (const [i, host] of hosts.entries()) {
      try {
        const session = await this.#connect(host, Math.max(1, deadline - performance.now()) / (hosts.length - i));
        this.#last = this.#hosts.indexOf(host);
        return session;
      } catch (error) {
        failures.push({ host, error });
      }
    }
    throw failures.length === 1 ? failures[0]?.error : this.#summary(failures);
  }

  #summary(failures: readonly { readonly host: SqlHost; readonly error: unknown }[]): NoPrimary {
    const kinds = failures.map(({ error }) => this.#failureOf(error));
    const failure = MOST_RETRIABLE_FIRST.find((kind) => kinds.includes(kind)) ?? 'other';
    const texts = failures.map(({ host, error }) => `${host.host}:${host.port}: ${messageOf(error)}`);
    return new NoPrimary(texts.join('; '), failure, { cause: failures[0]?.error });
  }
}

/** Errors of several addresses of one host have no message of their own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
