import { BoundedCache, memoize } from '../cache/bounded-cache.ts';
import type { JsonObject } from '../json/value.ts';
import { type PathElement, quoted } from '../managed-fields/path-element.ts';
import { metadataOf } from '../meta/kube-object.ts';
import type { FieldFilter, Versions } from './field-manager.ts';
import { type ChangeVisitor, type PathKind, type WalkPath, walkChanges } from './walk-changes.ts';

/**
 * Fast path for creation, the most frequent write: the FieldsV1 text of the fields that the creator of an object owns, without
 * building sets. `{}` for none, undefined if the fast path does not apply. quick.test.ts compares it with the field sets.
 */
export function createdFields(object: JsonObject, apiVersion: string, versions: Versions): string | undefined {
  if (metadataOf(object).managedFields !== undefined || !versions.knows(apiVersion)) return undefined;
  const writer = new FieldsV1Writer(versions.filter);
  walkChanges(zeroObject(versions, apiVersion), object, versions.mergeSchema(apiVersion), writer);
  return writer.text();
}

const zeroObjects = memoize((_versions: Versions) => new Map<string, JsonObject>());

/** The zero object of a version. It is only compared, never part of a result, so all creations share it. */
function zeroObject(versions: Versions, apiVersion: string): JsonObject {
  const known = zeroObjects(versions);
  const zero = known.get(apiVersion) ?? versions.empty(apiVersion);
  known.set(apiVersion, zero);
  return zero;
}

/** Writes the changed paths as FieldsV1, except for those that cannot be owned. */
class FieldsV1Writer implements ChangeVisitor {
  readonly sorted = true;
  readonly #filter: FieldFilter;
  /** The text so far of each part that encloses the current one. */
  readonly #enclosing: string[] = [];
  /** The parts below the current path: `"f:a":{},"f:b":{}`. */
  #parts = '';
  #isMember = false;

  constructor(filter: FieldFilter) {
    this.#filter = filter;
  }

  text(): string {
    return `{${this.#parts}}`;
  }

  enter(path: WalkPath): boolean {
    if (this.#filter.excludes(path)) return false;
    this.#enclosing.push(this.#parts);
    this.#parts = '';
    return true;
  }

  leave(path: WalkPath): void {
    const [enclosing = '', parts] = [this.#enclosing.pop(), this.#parts];
    this.#parts = enclosing;
    if (parts !== '') this.#append(path, this.#isMember ? `{".":{},${parts}}` : `{${parts}}`);
    else if (this.#isMember) this.#append(path, '{}');
    this.#isMember = false;
  }

  changed(path: WalkPath, kind: PathKind): boolean {
    if (!this.#filter.owns(path)) return true;
    if (kind === 'leaf') this.#append(path, '{}');
    else this.#isMember = true;
    return true;
  }

  #append(path: WalkPath, part: string): void {
    const member = `${jsonOf(path[path.length - 1] as PathElement)}:${part}`;
    this.#parts = this.#parts === '' ? member : `${this.#parts},${member}`;
  }

  removed(): boolean {
    return true;
  }
}

/** Path elements repeat in many objects. */
const jsonOfElements = new BoundedCache<PathElement, string>({
  entries: 8_192,
  bytes: 128 * 1024,
  sizeOf: (_json, element) => element.length,
});

function jsonOf(element: PathElement): string {
  let json = jsonOfElements.get(element);
  if (json === undefined) {
    json = quoted(element);
    jsonOfElements.set(element, json);
  }
  return json;
}
