import { jsonKind } from '../json/errors.ts';
import { isObject, type JsonValue } from '../json/value.ts';
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `deployments.apps`; without the dot for the core group. */
export function groupResourceText({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `Deployment.apps`; without the dot for the core group. */
export function groupKindText({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** What stands in `apiVersion`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The opposite of apiVersionOf; undefined for a text with more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

const typeMeta =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Why kind and apiVersion cannot be read from a value; undefined if they can, or are left out. */
export function typeMetaMisfit(value: JsonValue): string | undefined {
  const cannot = (found: JsonValue, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(found)} into ${target}`;
  if (!isObject(value)) return cannot(value, typeMeta);
  for (const field of ['apiVersion', 'kind'] as const) {
    const found = value[field] ?? '';
    if (typeof found !== 'string') return cannot(found, `Go struct field .${field} of type string`);
  }
  return undefined;
}
