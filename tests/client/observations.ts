import { type ApiObject, type InformerHandler, keyOf } from '@tsukube/client';

/** A handler that checks the order of its calls: no gap, no repeat, nothing from the past. */
export class Observations implements InformerHandler<ApiObject> {
  readonly mistakes: string[] = [];
  count = 0;
  readonly #known = new Map<string, ApiObject>();

  objects(): Iterable<ApiObject> {
    return this.#known.values();
  }

  readonly onAdd = (object: ApiObject): void => {
    this.count++;
    this.#note(this.#known.has(keyOf(object)), 'added twice', object);
    this.#known.set(keyOf(object), object);
  };

  readonly onUpdate = (object: ApiObject, old: ApiObject): void => {
    this.count++;
    const known = this.#known.get(keyOf(object));
    this.#note(versionOf(known) !== versionOf(old), 'updated from another state', object);
    this.#note(Number(versionOf(object)) <= Number(versionOf(old)), 'updated to the past', object);
    this.#note(known?.metadata.uid !== object.metadata.uid, 'replaced without a deletion', object);
    this.#known.set(keyOf(object), object);
  };

  readonly onDelete = (object: ApiObject): void => {
    this.count++;
    this.#note(!this.#known.delete(keyOf(object)), 'deleted before it was added', object);
  };

  #note(isWrong: boolean, mistake: string, object: ApiObject): void {
    if (isWrong && this.mistakes.length < 20) this.mistakes.push(`${mistake}: ${keyOf(object)} ${versionOf(object)}`);
  }
}

function versionOf(object: ApiObject | undefined): string | undefined {
  return object?.metadata.resourceVersion;
}
