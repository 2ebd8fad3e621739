import type { JsonValue } from '../../schema/type.ts';
import { JsonArray } from './json-list.ts';
import { toJson } from './to-json.ts';
import { CelList, type CelValue, noSuchOverload } from './value.ts';

/** An array with list type `set`: the order of its items does not matter, and addition is union. */
export class JsonSetList extends JsonArray {
  #members: Set<JsonValue> | undefined;

  override equals(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (other.size !== this.size) return false;
    const members = this.#set();
    for (let i = 0; i < other.size; i++) if (!members.has(toJson(other.at(i)))) return false;
    return true;
  }

  override add(other: CelList): CelValue {
    const union = new Set(this.#set());
    for (let i = 0; i < other.size; i++) union.add(toJson(other.at(i)));
    return new JsonSetList([...this.raw, ...[...union].slice(this.#set().size)], this.reader);
  }

  #set(): Set<JsonValue> {
    this.#members ??= new Set(this.raw);
    return this.#members;
  }
}
