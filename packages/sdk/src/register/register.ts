import { type ApiObject, type WatcherEvent, watcher } from '@tsukube/client';
import { type ApiAccess, logError } from '../access/api-access.ts';
import { accessOf, withRetries } from '../access/client-access.ts';
import { type MainServer, type MainServerOptions, openMainServer } from '../access/main-server.ts';
import { apiServiceName, applyApiServices, deleteApiServices, type RegisteredApi, unavailability } from './api-services.ts';
import {
  applyService,
  externalAddress,
  type OwnService,
  removeEndpoint,
  removeService,
  StaleSlices,
  sliceName,
  sliceSelector,
} from './service-endpoint.ts';

/** The Service in front of this program. Without an address and a host, and on a machine without addresses, it is at `localhost`. */
export interface RegisteredService extends OwnService {
  /** False if the Service exists, usually in front of a Deployment: only APIServices are created. */
  readonly create?: boolean;
}

export interface RegisterOptions extends MainServerOptions {
  readonly apis: readonly RegisteredApi[];
  readonly service: RegisteredService;
  /** The port that this program listens on. */
  readonly port: number;
  /** The CA of the serving certificate in PEM, asked for with every refresh. */
  readonly ca: () => string | Promise<string>;
  /** Field manager. The name of the service by default. */
  readonly name?: string;
  /** Deletes the APIServices and the Service on `close`, for all replicas. Otherwise only this replica leaves. */
  readonly unregisterOnClose?: boolean;
  /** Time between refreshes, 30 seconds by default. Replicas that were killed are removed after four of them. */
  readonly refreshIntervalMs?: number;
  /** Failures of refreshes. Written to stderr by default. */
  readonly onError?: (error: unknown) => void;
}

export interface ApiRegistration {
  /** Applies all objects. Runs regularly, and when one of them was deleted. */
  refresh(): Promise<void>;
  /** Resolves when the API server reaches this program. Rejects with the reason if it does not within the timeout. */
  available(timeoutMs?: number): Promise<void>;
  /** Deletes the APIServices, and the Service if it was created. */
  unregister(): Promise<void>;
  /** Takes this process out of the Service and stops refreshing. */
  close(): Promise<void>;
}

const defaultIntervalMs = 30_000;
/** Between refreshes because of deletions. */
const minIntervalMs = 200;
/** Refreshes without a change after which a replica counts as dead. */
const staleAfter = 4;

/**
 * Creates the Service, an EndpointSlice and the APIServices that lead to this process, and keeps them up to date until `close`.
 * Rejects if the API server refuses them, or cannot be reached within about 16 seconds.
 */
export async function register(options: RegisterOptions): Promise<ApiRegistration> {
  const server = await openMainServer(options);
  const registration = new Registering(server, options);
  try {
    await withRetries(() => registration.refresh());
  } catch (error) {
    server.close();
    throw error;
  }
  registration.start();
  return registration;
}

class Registering implements ApiRegistration {
  readonly #server: MainServer;
  readonly #access: ApiAccess;
  readonly #options: RegisterOptions;
  readonly #service: OwnService;
  readonly #onError: (error: unknown) => void;
  readonly #stale: StaleSlices;
  readonly #stop = new AbortController();
  #onDeleted: () => void = () => {};
  #refreshing: Promise<void> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();
  #appliedSlice: string | undefined;

  constructor(server: MainServer, options: RegisterOptions) {
    this.#server = server;
    this.#access = accessOf(server.client);
    this.#options = options;
    const { service } = options;
    const isLocal = service.address === undefined && service.host === undefined && externalAddress() === undefined;
    this.#service = isLocal ? { ...service, host: 'localhost' } : service;
    this.#onError = options.onError ?? logError;
    this.#stale = new StaleSlices(staleAfter * (options.refreshIntervalMs ?? defaultIntervalMs));
  }

  get #creates(): boolean {
    return this.#options.service.create !== false;
  }

  get #hasSlice(): boolean {
    return this.#creates && this.#service.host === undefined;
  }

  get #manager(): string {
    return this.#options.name ?? this.#service.name;
  }

  /** One refresh at a time. */
  refresh(): Promise<void> {
    const refreshed = this.#refreshing.catch(() => {}).then(() => this.#refresh());
    this.#refreshing = refreshed;
    return refreshed;
  }

  async #refresh(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { apis, port, ca } = this.#options;
    if (this.#creates) await this.#applyService();
    const target = { service: this.#service, port, ca: await ca() };
    await applyApiServices(this.#access, apis, target, this.#manager);
  }

  async #applyService(): Promise<void> {
    const { timing } = this.#server.client;
    const { port } = this.#options;
    await applyService(this.#access, this.#service, port, this.#manager, new Date(timing.now()));
    if (!this.#hasSlice) return;
    const name = sliceName(this.#service, port);
    // After a change of the address, the slice of the old one is stale at once.
    const old = this.#appliedSlice;
    if (old !== undefined && old !== name) await this.#slices.delete(old).catch(this.#onError);
    this.#appliedSlice = name;
    await this.#stale.remove(this.#access, this.#service, name, timing.monotonic());
  }

  get #slices() {
    return this.#server.client.resource('discovery.k8s.io/v1/endpointslices', { namespace: this.#service.namespace });
  }

  async available(timeoutMs = 30_000): Promise<void> {
    const { timing } = this.#server.client;
    const deadline = timing.monotonic() + timeoutMs;
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 1000)) {
      const reasons = await Promise.all(this.#options.apis.map((api) => unavailability(this.#access, api)));
      const reason = reasons.find((each) => each !== undefined);
      if (reason === undefined) return;
      if (timing.monotonic() + delayMs > deadline) throw new Error(`not available after ${timeoutMs} ms: ${reason}`);
      await timing.sleep(delayMs, this.#stop.signal);
    }
  }

  async unregister(): Promise<void> {
    await deleteApiServices(this.#access, this.#options.apis);
    if (!this.#creates) return;
    await removeEndpoint(this.#access, this.#service, this.#options.port);
    await removeService(this.#access, this.#service);
  }

  async close(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    await this.#refreshing.catch(() => {});
    await this.#running;
    await this.#leave().catch(this.#onError);
    this.#server.close();
  }

  async #leave(): Promise<void> {
    if (this.#options.unregisterOnClose) await this.unregister();
    else if (this.#hasSlice) await removeEndpoint(this.#access, this.#service, this.#options.port);
  }

  start(): void {
    this.#running = this.#run().catch((error) => {
      if (!this.#stop.signal.aborted) this.#onError(error);
    });
    this.#followDeletions();
  }

  async #run(): Promise<void> {
    const { timing } = this.#server.client;
    const { signal } = this.#stop;
    const { refreshIntervalMs = defaultIntervalMs } = this.#options;
    let deleted = new AbortController();
    this.#onDeleted = () => deleted.abort();
    while (!signal.aborted) {
      const began = timing.monotonic();
      await timing.sleep(refreshIntervalMs, AbortSignal.any([signal, deleted.signal])).catch(() => {});
      const tooEarlyMs = minIntervalMs - (timing.monotonic() - began);
      if (tooEarlyMs > 0) await timing.sleep(tooEarlyMs, signal);
      // A deletion during the refresh leads to another one.
      deleted = new AbortController();
      if (!signal.aborted) await this.refresh().catch(this.#onError);
    }
  }

  #followDeletions(): void {
    const { client } = this.#server;
    const { signal } = this.#stop;
    const { namespace, name } = this.#service;
    const apis = new Set(this.#options.apis.map(apiServiceName));
    this.#follow(watcher(client.resource('apiregistration.k8s.io/v1/apiservices'), { signal }), (deleted) => apis.has(deleted));
    if (!this.#creates) return;
    const services = client.resource('v1/services', { namespace });
    this.#follow(watcher(services, { fieldSelector: `metadata.name=${name}`, signal }), (deleted) => deleted === name);
    const labelSelector = sliceSelector(this.#service);
    if (this.#hasSlice)
      this.#follow(watcher(this.#slices, { labelSelector, signal }), (deleted) => deleted === this.#appliedSlice);
  }

  /** Refreshes at once when an object is deleted. Failed watches are retried; the regular refresh reports problems. */
  #follow(events: AsyncIterable<WatcherEvent<ApiObject>>, isOurs: (name: string) => boolean): void {
    const follow = async () => {
      for await (const event of events)
        if (event.type === 'delete' && isOurs(event.object.metadata.name ?? '')) this.#onDeleted();
    };
    follow().catch((error) => {
      if (!this.#stop.signal.aborted) this.#onError(error);
    });
  }
}
