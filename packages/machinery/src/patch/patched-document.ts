import { isParsedObject, type ParsedObject, type ParsedValue } from '../json/number-literal.ts';
import { stringifyJson } from '../json/stringify.ts';
import { deepCopy, deepEqual, setKey } from '../json/value.ts';
import { DepthBound, maxPatchedDepth } from './depth-bound.ts';

/** An operation of a JSON patch that does not apply. */
export class PatchFailure extends Error {
  override readonly name = 'PatchFailure';
}

/** A `test` operation whose value differs. */
export class PatchTestFailure extends PatchFailure {}

type Container = ParsedObject | ParsedValue[];

interface Place {
  readonly container: Container;
  readonly key: string;
  /** Length of the path. */
  readonly steps: number;
}

/** Limit of bytes copied by all `copy` operations of a patch: copies of copies grow exponentially. */
const copyLimit = 3 * 1024 * 1024;
/** Limit of list items shifted by insertions and removals. */
const moveLimit = 200_000_000;

/**
 * A document under a JSON patch, copy-on-write: an object or list is copied when it is first written to.
 */
export class PatchedDocument {
  root: ParsedValue;
  readonly #own = new Set<Container>();
  readonly #depth = new DepthBound();
  #copiedBytes = 0;
  #movedItems = 0;

  constructor(root: ParsedValue) {
    this.root = root;
  }

  add(path: string, value: ParsedValue): void {
    const { container, key, steps } = this.#locate(path, 'add operation does not apply: doc is missing path', `"${path}"`);
    explained(`error in add for path: '${path}'`, () => this.#insert(container, key, value));
    this.#depth.added(steps, value);
    this.checkDepth(false);
  }

  remove(path: string): void {
    const { container, key } = this.#locate(path, 'remove operation does not apply: doc is missing path', `"${path}"`);
    explained(`error in remove for path: '${path}'`, () => this.#take(container, key));
  }

  /** Adds a missing member, like Kubernetes. */
  replace(path: string, value: ParsedValue): void {
    if (path === '') {
      this.#replaceRoot(value);
      return;
    }
    const { container, key, steps } = this.#locate(path, 'replace operation does not apply: doc is missing path');
    if (Array.isArray(container)) container[existingIndex(container, key)] = value;
    else setKey(container, key, value);
    this.#depth.added(steps, value);
    this.checkDepth(false);
  }

  move(from: string, path: string): void {
    const source = this.#locate(from, 'move operation does not apply: doc is missing from path');
    const value = explained(`error in move for path: '${source.key}'`, () => this.#take(source.container, source.key));
    const target = this.#locate(path, 'move operation does not apply: doc is missing destination path');
    explained(`error in move for path: '${path}'`, () => this.#insert(target.container, target.key, value));
    this.#depth.moved(source.steps, target.steps);
    this.checkDepth(false);
  }

  copy(from: string, path: string): void {
    const source = this.#locate(from, 'copy operation does not apply: doc is missing from path');
    const value = explained(`error in copy for from: '${from}'`, () => read(source.container, source.key) ?? null);
    const target = this.#locate(path, 'copy operation does not apply: doc is missing destination path');
    this.#countCopy(value);
    explained('error while adding value during copy', () => this.#insert(target.container, target.key, deepCopy(value)));
    this.#depth.moved(source.steps, target.steps);
    this.checkDepth(false);
  }

  /** Throws if the document is nested deeper than a body may be; `isFinal` after the last operation. */
  checkDepth(isFinal: boolean): void {
    if (this.#depth.isExceeded(this.root, isFinal)) throw new PatchFailure(`exceeded max depth of ${maxPatchedDepth}`);
  }

  /** A missing member equals null. */
  test(path: string, value: ParsedValue): void {
    if (!deepEqual(this.#read(path), value)) throw new PatchTestFailure(`testing value ${path} failed: test failed`);
  }

  /** Sorts the keys of every changed object. */
  sortTouched(): void {
    for (const container of this.#own) {
      if (Array.isArray(container)) continue;
      const members = Object.entries(container).sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [key] of members) delete container[key];
      for (const [key, value] of members) setKey(container, key, value);
    }
  }

  #read(path: string): ParsedValue {
    if (path === '') return this.root;
    let value: ParsedValue | undefined = this.root;
    for (const key of keysOf(path)) {
      if (!isContainer(value)) throw new PatchFailure(`test operation does not apply: is missing path: ${path}: missing value`);
      value = read(value, key);
    }
    return value ?? null;
  }

  #replaceRoot(value: ParsedValue): void {
    if (!isContainer(value)) throw new PatchFailure('replace operation value must be object or array');
    this.root = value;
  }

  #insert(container: Container, key: string, value: ParsedValue): void {
    this.#countMoves(container, key);
    insert(container, key, value);
  }

  #take(container: Container, key: string): ParsedValue {
    this.#countMoves(container, key);
    return take(container, key);
  }

  #countMoves(container: Container, key: string): void {
    if (!Array.isArray(container) || key === '-') return;
    this.#movedItems += container.length;
    if (this.#movedItems > moveLimit) throw new PatchFailure('too many items of lists would have to move');
  }

  #countCopy(value: ParsedValue): void {
    this.#copiedBytes += Buffer.byteLength(stringifyJson(value));
    if (this.#copiedBytes <= copyLimit) return;
    const [size, limit] = [this.#copiedBytes, copyLimit];
    throw new PatchFailure(
      `Unable to complete the copy, the accumulated size increase of copy is ${size}, exceeding the limit ${limit}`,
    );
  }

  /**
   * The object or list that holds the last key of a path, copied unless it is a copy already. `shown` is the path in the message:
   * Go's library quotes it for some operations.
   */
  #locate(path: string, complaint: string, shown = path): Place {
    const keys = keysOf(path);
    const last = keys.pop();
    if (last === undefined || !isContainer(this.root)) throw new PatchFailure(`${complaint}: ${shown}: missing value`);
    let container = this.#owned(this.root, (copy) => {
      this.root = copy;
    });
    for (const key of keys) {
      const parent: Container = container;
      const child = readQuietly(parent, key);
      if (!isContainer(child)) throw new PatchFailure(`${complaint}: ${shown}: missing value`);
      container = this.#owned(child, (copy) => put(parent, key, copy));
    }
    return { container, key: last, steps: keys.length + 1 };
  }

  #owned(container: Container, putBack: (copy: Container) => void): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    putBack(copy);
    return copy;
  }
}

/** Adds the operation to the message of a failure. */
function explained<T>(operation: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    throw new PatchFailure(`${operation}: ${error.message}`, { cause: error });
  }
}

/** Ignores everything before the first slash. */
function keysOf(path: string): string[] {
  const [, ...keys] = path.split('/');
  return path.includes('~') ? keys.map((key) => key.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'))) : keys;
}

function isContainer(value: ParsedValue | undefined): value is Container {
  return Array.isArray(value) || isParsedObject(value);
}

function read(container: Container, key: string): ParsedValue | undefined {
  if (Array.isArray(container)) return container[existingIndex(container, key)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

/** On the way to a path, a missing index means a missing path. */
function readQuietly(container: Container, key: string): ParsedValue | undefined {
  if (!Array.isArray(container)) return read(container, key);
  const index = indexOf(key, container.length);
  return index === undefined ? undefined : container[index];
}

function put(container: Container, key: string, value: ParsedValue): void {
  if (Array.isArray(container)) container[existingIndex(container, key)] = value;
  else setKey(container, key, value);
}

function insert(container: Container, key: string, value: ParsedValue): void {
  if (!Array.isArray(container)) setKey(container, key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexWithin(key, container.length + 1), 0, value);
}

function take(container: Container, key: string): ParsedValue {
  if (Array.isArray(container)) return container.splice(existingIndex(container, key), 1)[0] as ParsedValue;
  if (!Object.hasOwn(container, key)) throw new PatchFailure(`Unable to remove nonexistent key: ${key}: missing value`);
  const value = container[key] as ParsedValue;
  delete container[key];
  return value;
}

function existingIndex(list: readonly ParsedValue[], key: string): number {
  return indexWithin(key, list.length);
}

function indexWithin(key: string, length: number): number {
  const index = indexOf(key, length);
  if (index === undefined) throw new PatchFailure(`Unable to access invalid index: ${key}: invalid index referenced`);
  return index;
}

/** Negative indexes count from the end. */
function indexOf(key: string, length: number): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(key)) return undefined;
  const index = Number(key) < 0 ? Number(key) + length : Number(key);
  return index >= 0 && index < length ? index : undefined;
}
