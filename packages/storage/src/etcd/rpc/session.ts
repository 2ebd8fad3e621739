import type { Metadata } from '../../grpc/calls.ts';

/** What every request carries: who asks, and that a member cut off from its cluster shall refuse instead of waiting. */
export class Session {
  readonly #authenticate: (() => Promise<string | undefined>) | undefined;
  #metadata: Metadata | undefined;
  #renewal: Promise<Metadata> | undefined;

  /** Without `authenticate` the session is anonymous, or known by its certificate. */
  constructor(authenticate?: () => Promise<string | undefined>) {
    this.#authenticate = authenticate;
    if (!authenticate) this.#metadata = metadataOf(undefined);
  }

  /** Undefined until somebody has authenticated. */
  get metadata(): Metadata | undefined {
    return this.#metadata;
  }

  /** Authenticates again, unless somebody else did since `stale` was in use. */
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
