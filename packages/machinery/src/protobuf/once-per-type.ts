import type { TypeCatalogue, TypeDefinition } from '../schema/type.ts';

/** Does the work once for each type of a catalogue and keeps the result as long as the type exists. */
export function oncePerType<T>(
  make: (type: TypeDefinition, catalogue: TypeCatalogue) => T,
): (type: TypeDefinition, catalogue: TypeCatalogue) => T {
  const known = new WeakMap<TypeCatalogue, WeakMap<TypeDefinition, { readonly made: T }>>();
  return (type, catalogue) => {
    const types = known.get(catalogue) ?? new WeakMap<TypeDefinition, { readonly made: T }>();
    const found = types.get(type);
    if (found) return found.made;
    const made = make(type, catalogue);
    known.set(catalogue, types.set(type, { made }));
    return made;
  };
}
