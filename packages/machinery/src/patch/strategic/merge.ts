import { StatusError } from '../../errors/status-error.ts';
import { cannotUnmarshal } from '../../json/errors.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import type { FieldType, TypeCatalogue, TypeDefinition } from '../../schema/type.ts';
import {
  applyRetainKeys,
  badElementOrder,
  badPrimitiveList,
  deleteFromListPrefix,
  directiveField,
  elementOrderPrefix,
  patchDirective,
  plainValue,
  retainKeysDirective,
  unknownPatchType,
  withoutDirectives,
  wrongType,
} from './directives.ts';
import { ruleForList, ruleForObject } from './lookup.ts';
import { mergeList, orderAfterMerge } from './merge-list.ts';
import { itemType, orderItems, validateElementOrder } from './order.ts';

/** Merges patches into objects of a catalogue. Never mutates either; results share parts with both. */
export class StrategicMerge {
  readonly #catalogue: TypeCatalogue;

  constructor(catalogue: TypeCatalogue) {
    this.#catalogue = catalogue;
  }

  mergeObject(original: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
    if (Object.hasOwn(patch, patchDirective)) return replaceOrDelete(patch);
    const merged = { ...original };
    applyRetainKeys(merged, patch);
    const ordered = this.#mergeOrderedLists(merged, patch, type);
    for (const key of Object.keys(patch)) {
      if (key !== retainKeysDirective && !ordered.has(key)) this.#mergeMember(merged, key, patch[key] as JsonValue, type);
    }
    return merged;
  }

  #mergeMember(merged: JsonObject, patchKey: string, value: JsonValue, type: FieldType): void {
    const deleting = patchKey.startsWith(deleteFromListPrefix);
    const key = deleting ? listToDeleteFrom(patchKey) : patchKey;
    if (value === null) {
      delete merged[key];
      return;
    }
    const result = this.#mergeValue(Object.hasOwn(merged, key) ? merged[key] : undefined, key, value, type, deleting);
    if (result !== undefined) setKey(merged, key, result);
    else if (!deleting) delete merged[key];
  }

  /** Undefined if the member is deleted, or there is none to delete from. */
  #mergeValue(
    original: JsonValue | undefined,
    key: string,
    value: JsonValue,
    type: FieldType,
    deleting: boolean,
  ): JsonValue | undefined {
    if (isObject(original) && isObject(value)) return this.#mergeObjects(original, key, value, type);
    if (Array.isArray(original) && Array.isArray(value)) return this.#mergeLists(original, key, value, type, deleting);
    return deleting ? original : plainValue(value);
  }

  #mergeObjects(original: JsonObject, key: string, patch: JsonObject, parent: FieldType): JsonObject {
    const { strategy, type } = ruleForObject(parent, key, this.#catalogue);
    return strategy === 'replace' ? patch : this.mergeObject(original, patch, type);
  }

  #mergeLists(original: JsonValue[], key: string, patch: JsonValue[], parent: FieldType, deleting: boolean): JsonValue[] {
    const rule = ruleForList(parent, key, this.#catalogue);
    return mergeList(original, patch, rule, deleting, (item, change) => this.mergeObject(item, change, rule.type));
  }

  /** Merges the lists that have a $setElementOrder. Returns the keys of the patch that are handled. */
  #mergeOrderedLists(merged: JsonObject, patch: JsonObject, type: FieldType): ReadonlySet<string> {
    const done = new Set<string>();
    for (const directive of Object.keys(patch)) {
      if (!directive.startsWith(elementOrderPrefix)) continue;
      done.add(directive);
      const order = patch[directive];
      if (!Array.isArray(order)) throw wrongType('[]interface {}', order);
      const key = directiveField(directive, elementOrderPrefix);
      if (key === undefined) throw badElementOrder();
      if (this.#mergeOrderedList(merged, key, listAt(patch, key), order, type)) done.add(key);
    }
    return done;
  }

  #mergeOrderedList(
    merged: JsonObject,
    key: string,
    patch: JsonValue[] | undefined,
    order: JsonValue[],
    parent: FieldType,
  ): boolean {
    const original = listAt(merged, key);
    const { mergeKey } = ruleForList(parent, key, this.#catalogue);
    validateElementOrder(patch ?? [], order, mergeKey);
    if (original === undefined && patch === undefined) return false;
    const items = this.#mergeUnordered(original, key, patch, parent);
    itemType(original ?? [], patch ?? []);
    const serverOrder = orderAfterMerge(original ?? [], patch ?? [], mergeKey);
    setKey(merged, key, orderItems(items, order, serverOrder, mergeKey));
    return true;
  }

  #mergeUnordered(
    original: JsonValue[] | undefined,
    key: string,
    patch: JsonValue[] | undefined,
    parent: FieldType,
  ): JsonValue[] {
    if (patch === undefined) return original ?? [];
    if (original === undefined) return withoutDirectives(patch) as JsonValue[];
    return this.#mergeLists(original, key, patch, parent, false);
  }
}

function replaceOrDelete(patch: JsonObject): JsonObject {
  const { [patchDirective]: directive = null, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownPatchType(directive, patch);
}

function listToDeleteFrom(patchKey: string): string {
  const key = directiveField(patchKey, deleteFromListPrefix);
  if (key === undefined) throw badPrimitiveList();
  return key;
}

function listAt(object: JsonObject, key: string): JsonValue[] | undefined {
  if (!Object.hasOwn(object, key)) return undefined;
  const list = object[key];
  if (!Array.isArray(list)) throw wrongType('[]interface {}', list);
  return list;
}

/** Applies a strategic merge patch. Throws a StatusError. Never mutates document or patch. */
export function strategicMergePatch(
  document: JsonObject,
  patch: JsonValue,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
): JsonObject {
  if (patch === null) return document;
  if (!isObject(patch)) throw StatusError.badRequest(cannotUnmarshal(patch, 'map[string]interface {}'));
  return new StrategicMerge(catalogue).mergeObject(document, patch, { is: 'object', ref: type.name });
}

/** For custom resources, which have no Go types. */
export function strategicMergeNotSupported(): StatusError {
  return StatusError.badRequest('strategic merge patch format is not supported');
}
