import type { DiscoveredResource, GroupResource, KubeClient } from '@tsukube/client';

/** Resources that are not known are looked for again after this long. */
const refreshMs = 30_000;

/** Finds resources of the API server by plural, singular or short name, with or without a group. */
export class ResourceMapper {
  readonly #client: KubeClient;
  readonly #onError: (error: unknown) => void;
  #resources: readonly DiscoveredResource[] = [];
  #refreshedMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(client: KubeClient, onError: (error: unknown) => void) {
    this.#client = client;
    this.#onError = onError;
  }

  /** Undefined if the API server has no such resource. */
  async find(wanted: GroupResource): Promise<DiscoveredResource | undefined> {
    const known = this.#lookUp(wanted);
    if (known !== undefined || this.#client.timing.monotonic() - this.#refreshedMs < refreshMs) return known;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
    return this.#lookUp(wanted);
  }

  #lookUp({ group, resource }: GroupResource): DiscoveredResource | undefined {
    const isNamed = ({ plural, kind, shortNames }: DiscoveredResource) =>
      plural === resource || kind.toLowerCase() === resource || shortNames.includes(resource);
    const exact = this.#resources.find((each) => each.group === group && isNamed(each));
    // Without a group, the first one that has the resource.
    return exact ?? (group === '' ? this.#resources.find(isNamed) : undefined);
  }

  async #refresh(): Promise<void> {
    try {
      this.#resources = await this.#client.discover({ onError: this.#onError });
      this.#refreshedMs = this.#client.timing.monotonic();
    } catch (error) {
      this.#onError(error);
    }
  }
}
