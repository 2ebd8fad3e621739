import { jsonKind } from '../json/errors.ts';
import { isParsedObject, type ParsedValue } from '../json/number-literal.ts';

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

/** The inverse of groupResourceText. The group is all that follows the first dot. */
export function parseGroupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

/** `Deployment.apps`; without the dot for the core group. */
export function groupKindText({ group, kind }: GroupKind): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** The value of `apiVersion`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The inverse of apiVersionOf; undefined for more than one slash. */
export function parseApiVersion(apiVersion: string): GroupVersion | undefined {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  if (apiVersion.includes('/', slash + 1)) return undefined;
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

const typeMeta =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The error of Go's decoder for kind and apiVersion of another type than string; undefined if they are strings or absent. */
export function typeMetaMismatch(value: ParsedValue): string | undefined {
  const cannot = (found: ParsedValue, target: string) =>
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(found)} into ${target}`;
  if (!isParsedObject(value)) return cannot(value, typeMeta);
  for (const field of ['apiVersion', 'kind'] as const) {
    const found = value[field] ?? '';
    if (typeof found !== 'string') return cannot(found, `Go struct field .${field} of type string`);
  }
  return undefined;
}
