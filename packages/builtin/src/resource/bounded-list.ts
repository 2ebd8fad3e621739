import type { FieldErrors, FieldPath } from '@tsukube/machinery';

type ValidateItem<Item> = (item: Item, at: FieldPath, errors: FieldErrors) => void;

/** A list that is too long is not looked into. */
export function validateList<Item>(
  items: readonly Item[],
  most: number,
  at: FieldPath,
  errors: FieldErrors,
  validate: ValidateItem<Item>,
): void {
  if (items.length > most) errors.tooMany(at, items.length, most);
  else for (const [i, item] of items.entries()) validate(item, at.index(i), errors);
}

/** The same for a list in which no key may come twice. */
export function validateSet<Item>(
  items: readonly Item[],
  most: number,
  keyOf: (item: Item) => string,
  at: FieldPath,
  errors: FieldErrors,
  validate: ValidateItem<Item>,
): void {
  validateList(items, most, at, errors, validate);
  if (items.length > most) return;
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const key = keyOf(item);
    if (seen.has(key)) errors.duplicate(at.index(i), key);
    seen.add(key);
  }
}
