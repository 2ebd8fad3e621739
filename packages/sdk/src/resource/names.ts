import type { ResourceNames } from '@tsukube/apiserver';

export interface NameOptions {
  readonly kind: string;
  /** By default the plural of the kind in lower case. */
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  /** Groups of resources, such as `all`, that kubectl can name. */
  readonly categories?: readonly string[];
}

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

/** Throws TypeError if a name cannot be part of a path. */
export function resourceNames({
  kind,
  plural,
  singular,
  listKind,
  shortNames = [],
  categories = [],
}: NameOptions): ResourceNames {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(kind))
    throw new TypeError(`"${kind}" is not a kind: it must be a word such as VirtualMachine`);
  const lower = kind.toLowerCase();
  const names = {
    kind,
    plural: plural ?? pluralOf(lower),
    singular: singular ?? lower,
    listKind: listKind ?? `${kind}List`,
    shortNames,
    categories,
  };
  for (const name of [names.plural, names.singular, ...shortNames, ...categories])
    if (!label.test(name)) throw new TypeError(`"${name}" is not a name for ${kind}: it must be a lower case DNS label`);
  return names;
}

/** The plural that Kubernetes' tools guess: policies, indexes, gateways. */
function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** Throws TypeError unless the group is a DNS subdomain and the version a label. The core group belongs to Kubernetes. */
export function checkGroupVersion(group: string, version: string): void {
  const labels = group.split('.');
  const isGroup =
    labels.length > 1 && group.length <= 253 && labels.every((each) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(each));
  if (!isGroup) throw new TypeError(`"${group}" is not an API group: it must be a domain name such as example.com`);
  if (!label.test(version)) throw new TypeError(`"${version}" is not a version: it must be a name such as v1 or v1beta1`);
}
