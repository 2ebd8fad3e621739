import { isNotFound, type KubeClient, type WatcherEvent, watcher } from '@tsukube/client';
import {
  type AuthenticationConfig,
  configMapName,
  configMapNamespace,
  parseAuthenticationConfig,
} from './authentication-config.ts';

/** Follows the authentication configuration of the main API server. */
export interface ConfigFollower {
  /** Undefined until it is known, and while the ConfigMap does not exist. The last one stays while the server cannot be reached. */
  current(): AuthenticationConfig | undefined;
  /** Why the configuration is not up to date; undefined if it is. */
  problem(): string | undefined;
  /** Calls back after every change. The returned function unsubscribes. */
  onChange(listener: () => void): () => void;
  close(): void;
}

interface ConfigMap {
  readonly metadata: { readonly resourceVersion?: string | undefined };
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const configMap = `ConfigMap ${configMapNamespace}/${configMapName}`;
const attemptTimeoutMs = 10_000;
const firstDelayMs = 500;
const maxDelayMs = 5000;

/** Resolves after the first attempt to read the configuration, successful or not; attempts continue until `close`. */
export async function followAuthenticationConfig(client: KubeClient, onError: (error: unknown) => void): Promise<ConfigFollower> {
  const following = new Following(client, onError);
  await following.start();
  return following;
}

class Following implements ConfigFollower {
  readonly #client: KubeClient;
  readonly #onError: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #listeners = new Set<() => void>();
  #config: AuthenticationConfig | undefined;
  #problem: string | undefined = `${configMap} was not read yet`;
  #confirming: Promise<void> | undefined;
  #listed: ConfigMap | undefined;

  constructor(client: KubeClient, onError: (error: unknown) => void) {
    this.#client = client;
    this.#onError = onError;
  }

  current(): AuthenticationConfig | undefined {
    return this.#config;
  }

  problem(): string | undefined {
    return this.#problem;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop.abort();
  }

  async start(): Promise<void> {
    await this.#read();
    this.#watch().catch(this.#onError);
  }

  get #api() {
    return this.#client.resource('v1/configmaps', { namespace: configMapNamespace });
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    const backoff = { initialMs: firstDelayMs, maxMs: maxDelayMs };
    for await (const event of watcher(this.#api, { fieldSelector: `metadata.name=${configMapName}`, signal, backoff }))
      this.#onEvent(event);
  }

  #onEvent(event: WatcherEvent<ConfigMap>): void {
    if (event.type === 'init') this.#listed = undefined;
    else if (event.type === 'initApply') this.#listed = event.object;
    else if (event.type === 'initDone') this.#set(this.#listed);
    else if (event.type === 'apply') this.#set(event.object);
    else if (event.type === 'delete') this.#set(undefined);
    else if (event.type === 'error') this.#confirm();
  }

  /** The watch broke. Reads at once to detect whether the server can be reached: an idle watch would need a minute. */
  #confirm(): void {
    this.#confirming ??= this.#readUntilAnswered()
      // The only failure is the end of the signal.
      .catch(() => {})
      .finally(() => {
        this.#confirming = undefined;
      });
  }

  async #readUntilAnswered(): Promise<void> {
    const { timing } = this.#client;
    for (let delayMs = firstDelayMs; !(await this.#read()); delayMs = Math.min(delayMs * 2, maxDelayMs))
      await timing.sleep(delayMs * (1 + 0.2 * timing.random()), this.#stop.signal);
  }

  /** False if the server did not answer. */
  async #read(): Promise<boolean> {
    const { signal } = this.#stop;
    const path = `/api/v1/namespaces/${configMapNamespace}/configmaps/${configMapName}`;
    try {
      this.#set(await this.#client.json<ConfigMap>({ method: 'GET', path, signal, timeoutMs: attemptTimeoutMs, noRetry: true }));
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (isNotFound(error)) {
        this.#set(undefined);
        return true;
      }
      this.#fail(`${configMap} cannot be read: ${(error as Error).message}`, error);
      return false;
    }
  }

  #set(object: ConfigMap | undefined): void {
    try {
      this.#config = object && parseAuthenticationConfig(object.data ?? {});
      if (object) this.#problem = undefined;
      else this.#fail(`${configMap} does not exist`);
      for (const listener of this.#listeners) listener();
    } catch (error) {
      // The last valid configuration stays.
      this.#fail(`${configMap}: ${(error as Error).message}`, error);
    }
  }

  #fail(problem: string, error: unknown = new Error(problem)): void {
    if (problem !== this.#problem) this.#onError(error);
    this.#problem = problem;
  }
}
