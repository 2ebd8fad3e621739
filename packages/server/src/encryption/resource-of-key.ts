import type { GroupResource } from '@tsukube/machinery';

/** The resource of a store key. Undefined for keys of the server itself, which are never encrypted. */
export type ResourceOfKey = (key: string) => GroupResource | undefined;

export interface StoredResource extends GroupResource {
  /** Key prefix without a trailing slash. */
  readonly storagePrefix: string;
}

/** Built-in resources are found by their prefix, custom ones by `<root>/<group>/<resource>/`. */
export function resourceOfKey(resources: readonly StoredResource[], root: string): ResourceOfKey {
  const byPrefix = new Map<string, GroupResource>();
  // Events of both groups are stored in the core group.
  for (const { storagePrefix, group, resource } of resources)
    if (storagePrefix !== '' && (group === '' || !byPrefix.has(storagePrefix))) byPrefix.set(storagePrefix, { group, resource });
  const custom = customResourceOfKey(`${root}/`);
  return (key) => {
    for (let slash = key.indexOf('/', 1); slash > 0; slash = key.indexOf('/', slash + 1)) {
      const found = byPrefix.get(key.slice(0, slash));
      if (found) return found;
    }
    return custom(key);
  };
}

/** The group of a custom resource contains a dot, unlike keys such as `ranges/servicenodeports`. */
function customResourceOfKey(root: string): ResourceOfKey {
  const known = new Map<string, GroupResource>();
  return (key) => {
    if (!key.startsWith(root)) return undefined;
    const afterGroup = key.indexOf('/', root.length);
    const afterResource = key.indexOf('/', afterGroup + 1);
    if (afterGroup < 0 || afterResource < 0) return undefined;
    const prefix = key.slice(root.length, afterResource);
    const found = known.get(prefix);
    if (found) return found;
    const group = key.slice(root.length, afterGroup);
    if (!group.includes('.')) return undefined;
    const resource = { group, resource: key.slice(afterGroup + 1, afterResource) };
    if (known.size < maxKnown) known.set(prefix, resource);
    return resource;
  };
}

const maxKnown = 10_000;
