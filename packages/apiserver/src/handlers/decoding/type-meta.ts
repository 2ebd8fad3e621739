import { apiVersionOf, goQuote, type JsonObject, type JsonValue, parseApiVersion } from '@tsukube/machinery';
import type { Schema } from '../../registry/resource.ts';

export const noKind = "couldn't get version/kind; json parse error: ";
/** As Go prints the type that kind and version are read into. */
export const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What an object says it is. */
export interface Stated {
  readonly kind: string;
  readonly apiVersion: string;
}

export type Objection =
  | { readonly is: 'unreadable' | 'other kind'; readonly reason: string }
  /** The right kind in another version. */
  | { readonly is: 'other version' };

/** What is wanted where an object is sent to. */
interface Wanted {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
}

/** The kind and version of an object; what it leaves out is what is wanted. */
export function statedBy(value: JsonObject, wanted: Wanted): Stated {
  return { kind: nonEmpty(value.kind) ?? wanted.kind, apiVersion: nonEmpty(value.apiVersion) ?? apiVersionOf(wanted) };
}

/** What Kubernetes has against an object of this kind; undefined if it is the one that is wanted. */
export function objectionTo(
  { kind, apiVersion }: Stated,
  wanted: Wanted,
  isVersion: (apiVersion: string) => boolean,
): Objection | undefined {
  if (kind === wanted.kind && apiVersion === apiVersionOf(wanted)) return undefined;
  if (parseApiVersion(apiVersion) === undefined)
    return { is: 'unreadable', reason: `unexpected GroupVersion string: ${apiVersion}` };
  if (kind === wanted.kind && isVersion(apiVersion)) return { is: 'other version' };
  const { catalogue, type } = wanted.schema;
  const found = catalogue.kinds?.find(type, apiVersion, kind);
  if (found === undefined) return { is: 'other kind', reason: unregistered({ kind, apiVersion }, wanted.schema) };
  const hubType = catalogue.kinds?.hubType(type);
  if (found.hubType === hubType) return { is: 'other version' };
  return { is: 'other kind', reason: `converting (${found.goType}) to (${hubType}): unknown conversion` };
}

function unregistered({ kind, apiVersion }: Stated, { catalogue, type }: Schema): string {
  const scheme = catalogue.kinds === undefined ? '' : ` in scheme ${goQuote(catalogue.kinds.scheme(type))}`;
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}${scheme}`;
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
