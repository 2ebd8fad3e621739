/** Kinds whose objects a node may be related to. */
export type RelatedKind =
  | 'secret'
  | 'configmap'
  | 'claim'
  | 'resourceclaim'
  | 'serviceaccount'
  | 'pod'
  | 'attachment'
  | 'slice'
  | 'certificaterequest';

export type Target = `${RelatedKind} ${string}/${string}`;

export function target(kind: RelatedKind, namespace: string, name: string): Target {
  return `${kind} ${namespace}/${name}`;
}

interface Source {
  readonly node: string;
  readonly targets: readonly Target[];
}

interface Volume {
  readonly claim: Target;
  readonly secrets: readonly Target[];
}

/**
 * Relates objects to nodes: through the pods that run on a node, and through the volumes bound to the claims of those pods.
 * All lookups are by key.
 */
export class NodeGraph {
  readonly #sources = new Map<string, Source>();
  /** Number of sources that relate a target to a node. */
  readonly #nodes = new Map<Target, Map<string, number>>();
  readonly #volumes = new Map<string, Volume>();
  readonly #volumesBySecret = new Map<Target, Set<string>>();

  /** Sets the targets that a source, such as a pod, relates to its node. */
  relate(source: string, node: string, targets: readonly Target[]): void {
    this.forget(source);
    const distinct = [...new Set(targets)];
    this.#sources.set(source, { node, targets: distinct });
    for (const one of distinct) {
      const nodes = this.#nodes.get(one) ?? new Map<string, number>();
      this.#nodes.set(one, nodes.set(node, (nodes.get(node) ?? 0) + 1));
    }
  }

  forget(source: string): void {
    const known = this.#sources.get(source);
    if (!known) return;
    this.#sources.delete(source);
    for (const one of known.targets) this.#release(one, known.node);
  }

  /** Nodes related to the claim may use the volume and its secrets. */
  bindVolume(name: string, claim: Target, secrets: readonly Target[]): void {
    this.forgetVolume(name);
    this.#volumes.set(name, { claim, secrets });
    for (const secret of secrets) {
      const volumes = this.#volumesBySecret.get(secret) ?? new Set<string>();
      this.#volumesBySecret.set(secret, volumes.add(name));
    }
  }

  forgetVolume(name: string): void {
    const known = this.#volumes.get(name);
    if (!known) return;
    this.#volumes.delete(name);
    for (const secret of known.secrets) {
      const volumes = this.#volumesBySecret.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#volumesBySecret.delete(secret);
    }
  }

  isRelated(node: string, one: Target): boolean {
    if (this.#nodes.get(one)?.has(node)) return true;
    for (const volume of this.#volumesBySecret.get(one) ?? []) if (this.mayUseVolume(node, volume)) return true;
    return false;
  }

  mayUseVolume(node: string, name: string): boolean {
    const claim = this.#volumes.get(name)?.claim;
    return claim !== undefined && this.#nodes.get(claim)?.has(node) === true;
  }

  #release(one: Target, node: string): void {
    const nodes = this.#nodes.get(one);
    const count = nodes?.get(node) ?? 0;
    if (count > 1) nodes?.set(node, count - 1);
    else nodes?.delete(node);
    if (nodes?.size === 0) this.#nodes.delete(one);
  }
}
