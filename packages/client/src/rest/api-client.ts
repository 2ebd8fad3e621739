import { anonymousCredentials, type ClusterConfig } from '../config/cluster-config.ts';
import { clientTransport, type TransportOptions } from '../http/client-transport.ts';
import { ConnectionError, type HttpMethod, type HttpResponse, type HttpTransport } from '../http/transport.ts';
import { RetryBackoff } from '../timing/backoff.ts';
import { type RateLimit, RateLimiter } from '../timing/rate-limiter.ts';
import { abortable, systemTiming, type Timing } from '../timing/timing.ts';
import { apiErrorOf } from './api-error.ts';
import { type Impersonation, impersonationHeaders, warningsIn } from './headers.ts';
import { readJson, readText } from './response-body.ts';
import { type Failure, mayRetry, type RetryOptions, retryAfterMs } from './retry-policy.ts';

export interface ClientOptions extends TransportOptions {
  /** Client-side rate limit. client-go's default: 5 requests per second, bursts of 10. `false` for none. */
  readonly rateLimit?: RateLimit | false;
  readonly retry?: RetryOptions;
  /** For an attempt, from sending to the last byte; does not apply to watches. 65 seconds by default. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** Warnings of the API server, for instance about deprecated versions. */
  readonly onWarning?: (message: string, request: RestRequest) => void;
  readonly impersonate?: Impersonation;
  readonly timing?: Timing;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Instead of the client's. 0 for no limit. */
  readonly timeoutMs?: number | undefined;
}

export interface RestRequest extends CallOptions {
  readonly method: HttpMethod;
  /** Path and query. */
  readonly path: string;
  /** JSON, or text that is sent as it is. */
  readonly body?: unknown;
  /** `application/json` by default. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request may be repeated although its method is not safe, such as a server-side apply. */
  readonly idempotent?: boolean;
  /** Fails with the first failure. */
  readonly noRetry?: boolean;
}

const defaultUserAgent = `tsukube-client (${process.platform}/${process.arch}) node/${process.versions.node}`;

/** Sends requests: authentication, rate limit, retries, errors. */
export class ApiClient {
  readonly config: ClusterConfig;
  readonly timing: Timing;
  protected readonly options: ClientOptions;
  readonly #transport: HttpTransport;
  readonly #limiter: RateLimiter | undefined;
  readonly #base: string;

  constructor(config: ClusterConfig, options: ClientOptions = {}, shared?: ApiClient) {
    this.config = config;
    this.options = options;
    this.timing = options.timing ?? systemTiming;
    this.#transport = shared === undefined ? clientTransport(config, options) : shared.#transport;
    const { rateLimit = { qps: 5, burst: 10 } } = options;
    const limiter = rateLimit === false ? undefined : new RateLimiter(rateLimit, this.timing);
    this.#limiter = shared === undefined ? limiter : shared.#limiter;
    this.#base = new URL(config.server).pathname.replace(/\/$/, '');
  }

  /** Acts as another user, over the same connections and within the same rate limit. */
  as(impersonate: Impersonation): ApiClient {
    return new ApiClient(this.config, { ...this.options, impersonate }, this);
  }

  /** The JSON of a successful response. Rejects with ApiError, ConnectionError or the reason of the signal. */
  json<T>(request: RestRequest): Promise<T> {
    return this.#retrying(request, (response, signal) => readJson<T>(response, signal));
  }

  /** The text of a successful response. */
  text(request: RestRequest): Promise<string> {
    return this.#retrying(request, readText);
  }

  /** A successful response whose body the caller reads. `timeoutMs` limits the time to the headers. */
  stream(request: RestRequest): Promise<HttpResponse> {
    return this.#retrying(request, async (response) => response, true);
  }

  close(): void {
    this.#transport.close();
  }

  async #retrying<T>(
    request: RestRequest,
    read: (response: HttpResponse, signal: AbortSignal | undefined) => Promise<T>,
    isStream = false,
  ): Promise<T> {
    const { limit = 10, initialMs = 100, maxMs = 10_000 } = this.options.retry ?? {};
    const backoff = new RetryBackoff({ initialMs, maxMs }, this.timing);
    let refreshed = false;
    for (;;) {
      const outcome = await this.#attempt(request, read, isStream);
      if ('value' in outcome) return outcome.value;
      const { failure, error } = outcome;
      if ('status' in failure && failure.status === 401 && !refreshed) {
        refreshed = true;
        if ((this.config.credentials ?? anonymousCredentials).refresh()) continue;
      }
      if (
        request.noRetry ||
        backoff.failures >= limit ||
        !mayRetry(request.method, failure, backoff.failures, request.idempotent)
      )
        throw error;
      const delay = backoff.next();
      const asked = 'retryAfter' in failure ? retryAfterMs(failure.retryAfter, this.timing.now()) : undefined;
      await this.timing.sleep(Math.max(delay, asked ?? 0), request.signal);
    }
  }

  async #attempt<T>(
    request: RestRequest,
    read: (response: HttpResponse, signal: AbortSignal | undefined) => Promise<T>,
    isStream: boolean,
  ): Promise<{ value: T } | { failure: Failure; error: unknown }> {
    await this.#limiter?.take(request.signal);
    // The body of an open stream is still cancelled by the signal.
    let isOpen = false;
    const timeout = new AttemptTimeout(request, request.timeoutMs ?? this.options.timeoutMs ?? 65_000);
    try {
      const response = await this.#send(request, timeout.signal);
      isOpen = isStream && response.status < 400;
      if (isOpen) timeout.clear();
      for (const warning of warningsIn(response.headers.warning)) this.options.onWarning?.(warning, request);
      if (response.status < 400) return { value: await read(response, timeout.signal) };
      const failure = { status: response.status, retryAfter: singleHeader(response.headers['retry-after']) };
      return { failure, error: apiErrorOf(response.status, await readText(response, timeout.signal)) };
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return { failure: { error }, error };
    } finally {
      if (!isOpen) timeout.close();
    }
  }

  async #send(request: RestRequest, signal: AbortSignal | undefined): Promise<HttpResponse> {
    const { method, path, body } = request;
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const headers = await this.#headers(request, signal);
    return this.#transport.send({ method, path: this.#base + path, headers, body: text, signal });
  }

  async #headers(request: RestRequest, signal: AbortSignal | undefined): Promise<Record<string, string | readonly string[]>> {
    const { credentials = anonymousCredentials } = this.config;
    const pending = credentials.authorization();
    const authorization = pending instanceof Promise ? await abortable(pending, signal) : pending;
    return {
      accept: 'application/json',
      'user-agent': this.options.userAgent ?? defaultUserAgent,
      ...(authorization !== undefined && { authorization }),
      ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
      ...(this.options.impersonate && impersonationHeaders(this.options.impersonate)),
      ...request.headers,
    };
  }
}

/** A signal that is aborted by the caller's signal, or with a ConnectionError after the timeout. */
class AttemptTimeout {
  readonly signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #detach: () => void = () => {};

  constructor({ signal, method, path }: RestRequest, timeoutMs: number) {
    this.signal = signal;
    if (timeoutMs === 0) return;
    const controller = new AbortController();
    const error = () => new ConnectionError(`${method} ${path}: no response within ${timeoutMs} ms`);
    this.#timer = setTimeout(() => controller.abort(error()), timeoutMs);
    const forward = () => controller.abort(signal?.reason);
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward, { once: true });
    this.#detach = () => signal?.removeEventListener('abort', forward);
    this.signal = controller.signal;
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.clear();
    this.#detach();
  }
}

function singleHeader(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
