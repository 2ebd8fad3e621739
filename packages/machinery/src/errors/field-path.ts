/** The path of a field: `spec.containers[0].env[PATH]`. Immutable; the text is built on demand. */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #name: string;
  readonly #subscript: boolean;

  constructor(parent: FieldPath | undefined, name: string, subscript: boolean) {
    this.#parent = parent;
    this.#name = name;
    this.#subscript = subscript;
  }

  child(...names: readonly string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, name, false);
    return path;
  }

  index(position: number): FieldPath {
    return new FieldPath(this, String(position), true);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, key, true);
  }

  toString(): string {
    // An empty name is the object as a whole. Go formats an element without a name as a subscript.
    const subscript = this.#subscript || this.#name === '';
    const own = subscript ? `[${this.#name}]` : this.#name;
    if (this.#parent === undefined) return own;
    return subscript ? `${this.#parent}${own}` : `${this.#parent}.${own}`;
  }
}

/** A path from the root of an object. */
export function path(name: string, ...more: readonly string[]): FieldPath {
  return new FieldPath(undefined, name, false).child(...more);
}
