/** Computes a value once for each object, and keeps it as long as the object lives. The object must not change. */
export function memoize<K extends object, V>(compute: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => {
    let value = known.get(object);
    if (value === undefined) {
      value = compute(object);
      known.set(object, value);
    }
    return value;
  };
}
