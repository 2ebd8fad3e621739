import { isObject, type JsonObject, type JsonValue, stringifyJson, stringifyYaml } from '@tsukube/machinery';
import type { Random } from '../support/random.ts';
import type { Body } from './bodies.ts';
import { interestingValue, mutateObject, placeIn, valueAt } from './mutate-object.ts';

export type Patch = Body;

/** A patch of a random type, derived from an object. */
export function randomPatch(object: JsonObject, type: string | undefined, others: readonly JsonObject[], random: Random): Patch {
  switch (random(5)) {
    case 0:
      return json('application/json-patch+json', jsonPatch(object, random));
    case 1:
      return json('application/merge-patch+json', part(mutateObject(object, type, others, random), random));
    case 2:
      return json('application/strategic-merge-patch+json', withDirectives(part(object, random), random));
    case 3:
      return {
        type: 'application/apply-patch+yaml',
        body: Buffer.from(random(2) === 0 ? stringifyYaml(object) : stringifyJson(object)),
      };
    default:
      return random(10) === 0
        ? { type: 'application/apply-patch+cbor', body: Buffer.from([0xd9, 0xd9, 0xf7, 0xa1, 0x41, random(256), random(256)]) }
        : { type: 'application/apply-patch+yaml', body: Buffer.from(stringifyYaml(part(object, random))) };
  }
}

function json(type: string, value: JsonValue): Patch {
  return { type, body: Buffer.from(stringifyJson(value)) };
}

/** Some fields of an object, mostly with its name. */
function part(object: JsonObject, random: Random): JsonObject {
  const wanted = Object.entries(object).filter(
    ([key]) => key === 'apiVersion' || key === 'kind' || key === 'metadata' || random(2) === 0,
  );
  return Object.fromEntries(wanted);
}

const operations = ['add', 'remove', 'replace', 'copy', 'move', 'test', 'add', 'replace', 'remove', 'frobnicate'];

function jsonPatch(object: JsonObject, random: Random): JsonValue {
  return Array.from({ length: 1 + random(4) }, () => {
    const operation: JsonObject = { op: operations[random(operations.length)] as string, path: pointerIn(object, random) };
    if (random(4) > 0) operation.value = random(2) === 0 ? interestingValue(random) : someValue(object, random);
    if (random(2) === 0) operation.from = pointerIn(object, random);
    return operation;
  });
}

function someValue(object: JsonObject, random: Random): JsonValue {
  const place = placeIn(object, undefined, random);
  return place ? valueAt(place.holder, place.key) : null;
}

const ends = ['', '/-', '/0', '/-1', '/01', '/x', '/~0', '/~2', '/99999999999', '/', '/é'];

/** A JSON pointer that exists, or almost does. */
function pointerIn(object: JsonObject, random: Random): string {
  let pointer = '';
  let at: JsonValue = object;
  while ((isObject(at) || Array.isArray(at)) && random(4) > 0) {
    const keys = Object.keys(at);
    if (keys.length === 0) break;
    const key = keys[random(keys.length)] as string;
    pointer += `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    at = (at as Record<string, JsonValue>)[key] as JsonValue;
  }
  return random(4) === 0 ? pointer + (ends[random(ends.length)] as string) : pointer;
}

/** Adds strategic merge directives at random places. */
function withDirectives(patch: JsonObject, random: Random): JsonObject {
  for (let i = random(3); i > 0; i--) {
    const place = placeIn(patch, undefined, random);
    if (!place || Array.isArray(place.holder)) continue;
    const key = String(place.key);
    const [directive, value] = directives(key, place.holder[key] as JsonValue, random);
    place.holder[directive] = value;
  }
  return patch;
}

function directives(key: string, value: JsonValue, random: Random): [string, JsonValue] {
  const anything = random(3) === 0 ? interestingValue(random) : value;
  switch (random(5)) {
    case 0:
      return ['$patch', ['replace', 'delete', 'merge', 'no', 1][random(5)] as JsonValue];
    case 1:
      return [`$setElementOrder/${key}`, anything];
    case 2:
      return [`$deleteFromPrimitiveList/${key}`, anything];
    case 3:
      return ['$retainKeys', [key]];
    default:
      return [key, [{ $patch: 'delete', name: 'main' }, anything]];
  }
}
