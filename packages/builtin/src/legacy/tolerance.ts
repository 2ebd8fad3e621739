import type { Resource, ServedVersion, Strategy, Subresource } from '@tsukube/apiserver';
import { deepCopy, type FieldError, FieldErrors, type JsonObject } from '@tsukube/machinery';

/** What an old version says of something that is wrong with an object of the hub; undefined if it accepts that. */
export type Judge = (error: FieldError) => FieldError | undefined;

/** A version with which more may be written than with the hub. */
export interface LenientVersion extends ServedVersion {
  readonly judge?: Judge;
  /** Fields that a write of this version sets, and one of the hub does not. */
  readonly keeps?: readonly string[];
  /** The kind knows itself what it asks of this version, and is told that it is this one. */
  readonly ownRules?: boolean;
}

type Rules = Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate' | 'validateCreate' | 'validateUpdate'>;

/** Old versions are held to the rules of the hub, and then forgiven what they always allowed. */
export function tolerant(resource: Resource): Pick<Resource, 'strategy' | 'subresources'> {
  const { strategy, subresources, hub } = resource;
  const forgiving = Object.entries(subresources ?? {}).map(([name, subresource]) => [name, forgivingly(subresource, hub)]);
  return {
    strategy: { ...strategy, ...preparation(strategy), ...validation(strategy, hub) },
    ...(subresources && { subresources: Object.fromEntries(forgiving) as Record<string, Subresource> }),
  };
}

function forgivingly(subresource: Subresource, hub: ServedVersion): Subresource {
  const { strategy } = subresource;
  return strategy ? { ...subresource, strategy: { ...strategy, ...validation(strategy, hub) } } : subresource;
}

function preparation({ prepareForCreate, prepareForUpdate }: Rules): Rules {
  return {
    ...(prepareForCreate && {
      prepareForCreate: (object, user, version, warn) =>
        keeping(object, version, () => prepareForCreate(object, user, version, warn)),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (object, old, version) => keeping(object, version, () => prepareForUpdate(object, old, version)),
    }),
  };
}

function keeping(object: JsonObject, { keeps = [] }: LenientVersion, prepare: () => void): void {
  const sent = keeps.map((field) => [field, deepCopy(object[field] ?? null)] as const);
  prepare();
  for (const [field, value] of sent) if (value !== null) object[field] = value;
}

function validation({ validateCreate, validateUpdate }: Rules, hub: ServedVersion): Rules {
  return {
    ...(validateCreate && {
      validateCreate: (object, errors, version) => judged(errors, version, hub, (found, as) => validateCreate(object, found, as)),
    }),
    ...(validateUpdate && {
      validateUpdate: (object, old, errors, version) =>
        judged(errors, version, hub, (found, as) => validateUpdate(object, old, found, as)),
    }),
  };
}

function judged(
  errors: FieldErrors,
  version: LenientVersion,
  hub: ServedVersion,
  validate: (errors: FieldErrors, version: ServedVersion) => void,
): void {
  if (!version.legacy) {
    validate(errors, version);
    return;
  }
  const found = new FieldErrors();
  validate(found, version.ownRules ? version : hub);
  const kept = found.list.flatMap((error) => (version.judge ? (version.judge(error) ?? []) : error));
  found.list.splice(0, found.list.length, ...kept);
  errors.addAll(found);
}
