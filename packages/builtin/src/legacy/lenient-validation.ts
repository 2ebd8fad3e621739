import type { Resource, ServedVersion, Strategy, Subresource } from '@tsukube/apiserver';
import { deepCopy, type FieldError, FieldErrors, type JsonObject } from '@tsukube/machinery';

/** Maps a validation error of the hub to that of an old version; undefined if the old version accepts the value. */
export type ErrorFilter = (error: FieldError) => FieldError | undefined;

/** A version that is validated less strictly than the hub. */
export interface LenientVersion extends ServedVersion {
  readonly filterError?: ErrorFilter;
  /** Fields that writes in this version may set although the hub strategy resets them. */
  readonly preservedFields?: readonly string[];
  /** The strategy validates this version itself and gets it as an argument instead of the hub. */
  readonly validatedByKind?: boolean;
}

type Rules = Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate' | 'validateCreate' | 'validateUpdate'>;

/** Validates old versions with the rules of the hub and filters the errors. */
export function withLenientValidation(resource: Resource): Pick<Resource, 'strategy' | 'subresources'> {
  const { strategy, subresources, hub } = resource;
  const lenient = Object.entries(subresources ?? {}).map(([name, subresource]) => [name, lenientSubresource(subresource, hub)]);
  return {
    strategy: { ...strategy, ...preparation(strategy), ...validation(strategy, hub) },
    ...(subresources && { subresources: Object.fromEntries(lenient) as Record<string, Subresource> }),
  };
}

function lenientSubresource(subresource: Subresource, hub: ServedVersion): Subresource {
  const { strategy } = subresource;
  return strategy ? { ...subresource, strategy: { ...strategy, ...validation(strategy, hub) } } : subresource;
}

function preparation({ prepareForCreate, prepareForUpdate }: Rules): Rules {
  return {
    ...(prepareForCreate && {
      prepareForCreate: (object, user, version, warn) =>
        preserving(object, version, () => prepareForCreate(object, user, version, warn)),
    }),
    ...(prepareForUpdate && {
      prepareForUpdate: (object, old, version) => preserving(object, version, () => prepareForUpdate(object, old, version)),
    }),
  };
}

function preserving(object: JsonObject, { preservedFields = [] }: LenientVersion, prepare: () => void): void {
  const sent = preservedFields.map((field) => [field, deepCopy(object[field] ?? null)] as const);
  prepare();
  for (const [field, value] of sent) if (value !== null) object[field] = value;
}

function validation({ validateCreate, validateUpdate }: Rules, hub: ServedVersion): Rules {
  return {
    ...(validateCreate && {
      validateCreate: (object, errors, version) =>
        validateAs(errors, version, hub, (found, as) => validateCreate(object, found, as)),
    }),
    ...(validateUpdate && {
      validateUpdate: (object, old, errors, version) =>
        validateAs(errors, version, hub, (found, as) => validateUpdate(object, old, found, as)),
    }),
  };
}

function validateAs(
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
  validate(found, version.validatedByKind ? version : hub);
  const kept = found.list.flatMap((error) => (version.filterError ? (version.filterError(error) ?? []) : error));
  found.list.splice(0, found.list.length, ...kept);
  errors.addAll(found);
}
