import type { Resource, ServedVersion, Strategy, Subresource } from '@tsukube/apiserver';
import { type FieldError, FieldErrors } from '@tsukube/machinery';

/** What an old version says of something that is wrong with an object of the hub; undefined if it accepts that. */
export type Judge = (error: FieldError) => FieldError | undefined;

export interface JudgingVersion extends ServedVersion {
  readonly judge?: Judge;
}

type Validation = Pick<Strategy, 'validateCreate' | 'validateUpdate'>;

/** Old versions are held to the rules of the hub, and then forgiven what they always allowed. */
export function tolerant(resource: Resource): Pick<Resource, 'strategy' | 'subresources'> {
  const { strategy, subresources, hub } = resource;
  const forgiving = Object.entries(subresources ?? {}).map(([name, subresource]) => [name, forgivingly(subresource, hub)]);
  return {
    strategy: { ...strategy, ...validation(strategy, hub) },
    ...(subresources && { subresources: Object.fromEntries(forgiving) as Record<string, Subresource> }),
  };
}

function forgivingly(subresource: Subresource, hub: ServedVersion): Subresource {
  const { strategy } = subresource;
  return strategy ? { ...subresource, strategy: { ...strategy, ...validation(strategy, hub) } } : subresource;
}

function validation({ validateCreate, validateUpdate }: Validation, hub: ServedVersion): Validation {
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
  version: JudgingVersion,
  hub: ServedVersion,
  validate: (errors: FieldErrors, version: ServedVersion) => void,
): void {
  if (!version.legacy) {
    validate(errors, version);
    return;
  }
  const found = new FieldErrors();
  validate(found, hub);
  const kept = found.list.flatMap((error) => (version.judge ? (version.judge(error) ?? []) : error));
  found.list.splice(0, found.list.length, ...kept);
  errors.addAll(found);
}
