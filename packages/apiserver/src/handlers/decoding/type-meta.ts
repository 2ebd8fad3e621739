import { apiVersionOf, goQuote, type ParsedObject, type ParsedValue, parseApiVersion } from '@tsukube/machinery';
import type { Schema } from '../../registry/resource.ts';

/** The start of Kubernetes' error for a body whose type meta cannot be parsed. */
export const typeMetaError = "couldn't get version/kind; json parse error: ";
/** As Go prints the type that apiVersion and kind are decoded into. */
export const goTypeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

export interface TypeMeta {
  readonly kind: string;
  readonly apiVersion: string;
}

/** The type that an endpoint accepts. */
interface ExpectedType {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
}

export type TypeMismatch =
  | { readonly is: 'unreadable' | 'other kind'; readonly reason: string }
  /** The right kind in another version. */
  | { readonly is: 'other version' };

/** The type meta of an object; missing fields default to the expected type. */
export function typeMetaOf(value: ParsedObject, expected: ExpectedType): TypeMeta {
  return { kind: nonEmpty(value.kind) ?? expected.kind, apiVersion: nonEmpty(value.apiVersion) ?? apiVersionOf(expected) };
}

/** Compares type meta with the expected type, with Kubernetes' reason for a mismatch; undefined if they agree. */
export function typeMismatch(
  { kind, apiVersion }: TypeMeta,
  expected: ExpectedType,
  isVersion: (apiVersion: string) => boolean,
): TypeMismatch | undefined {
  if (kind === expected.kind && apiVersion === apiVersionOf(expected)) return undefined;
  if (parseApiVersion(apiVersion) === undefined)
    return { is: 'unreadable', reason: `unexpected GroupVersion string: ${apiVersion}` };
  if (kind === expected.kind && isVersion(apiVersion)) return { is: 'other version' };
  const { catalogue, type } = expected.schema;
  const found = catalogue.kinds?.find(type, apiVersion, kind);
  if (found === undefined) return { is: 'other kind', reason: unregistered({ kind, apiVersion }, expected.schema) };
  const hubType = catalogue.kinds?.hubType(type);
  if (found.hubType === hubType) return { is: 'other version' };
  return { is: 'other kind', reason: `converting (${found.goType}) to (${hubType}): unknown conversion` };
}

function unregistered({ kind, apiVersion }: TypeMeta, { catalogue, type }: Schema): string {
  const scheme = catalogue.kinds === undefined ? '' : ` in scheme ${goQuote(catalogue.kinds.scheme(type))}`;
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}${scheme}`;
}

export function nonEmpty(value: ParsedValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
