import { StatusError, trimBoth } from '@tsukube/machinery';

export interface AcceptClause {
  /** As sent; either half may be a star. */
  readonly mediaType: string;
  /** The media type without normalization, for routers that compare text. */
  readonly written: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Go's limit is that of the whole header; clients send a few hundred bytes. */
const maxAcceptBytes = 16 * 1024;
const maxClauses = 256;
const maxParameters = 16;

let last: { readonly header: string; readonly clauses: readonly AcceptClause[] } = { header: '', clauses: [] };

/**
 * The clauses of an Accept header in the order in which kube-apiserver tries them. Malformed ones are left out. A header beyond
 * the limits accepts nothing. A request is negotiated several times if it fails: the last header is parsed once.
 */
export function acceptClauses(header: string): readonly AcceptClause[] {
  if (last.header !== header) last = { header, clauses: parseAccept(header) };
  return last.clauses;
}

function parseAccept(header: string): readonly AcceptClause[] {
  if (header.length > maxAcceptBytes) return [];
  const texts = header.split(',', maxClauses + 1);
  if (texts.length > maxClauses) return [];
  const clauses: AcceptClause[] = [];
  for (const text of texts) {
    const clause = parseClause(text);
    if (clause) clauses.push(clause);
  }
  return clauses.length <= maxInserted ? insertionSorted(clauses) : clauses.sort(byPreference);
}

export function acceptsMediaType({ mediaType: wanted }: AcceptClause, mediaType: string): boolean {
  if (wanted === '*/*' || wanted === mediaType) return true;
  return wanted.endsWith('/*') && mediaType.startsWith(wanted.slice(0, -1));
}

function parseClause(text: string): AcceptClause | undefined {
  const [first = '', ...rest] = text.split(';', maxParameters + 2);
  if (rest.length > maxParameters) return undefined;
  const mediaType = parseMediaType(first);
  if (mediaType === undefined) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const part of rest) {
    const [name = '', value = '', excess = ''] = part.split('=');
    if (value === '' || excess !== '') continue;
    if (trimBoth(name, ' ') === 'q') quality = parseQuality(value);
    else parameters.set(trimBoth(name, ' '), trimBoth(value, ' '));
  }
  return { mediaType, written: first.trim(), parameters, quality };
}

function parseMediaType(text: string): string | undefined {
  const [type = '', subtype = '', excess = ''] = text.split('/').map((part) => trimBoth(part, ' '));
  if (subtype === '') return type === '*' ? '*/*' : undefined;
  return excess === '' ? `${type}/${subtype}` : undefined;
}

/** An invalid q-value counts as 0. A q-value of 0 sorts the media type last; it does not exclude it. */
function parseQuality(text: string): number {
  return /^\d*(?:\.\d*)?$/.test(text) ? Number.parseFloat(text) || 0 : 0;
}

/** Go uses insertion sort up to this length. */
const maxInserted = 12;

/** kube-apiserver's order is not transitive, so the result depends on the algorithm: an insertion sort, as in Go. */
function insertionSorted(clauses: AcceptClause[]): AcceptClause[] {
  for (let i = 1; i < clauses.length; i++) {
    for (let j = i; j > 0; j--) {
      const [before, after] = [clauses[j - 1] as AcceptClause, clauses[j] as AcceptClause];
      if (!precedes(after, before)) break;
      clauses[j - 1] = after;
      clauses[j] = before;
    }
  }
  return clauses;
}

function precedes(a: AcceptClause, b: AcceptClause): boolean {
  if (a.quality > b.quality) return true;
  if (!a.mediaType.startsWith('*/') && b.mediaType.startsWith('*/')) return true;
  return !a.mediaType.endsWith('/*') && b.mediaType.endsWith('/*');
}

function byPreference(a: AcceptClause, b: AcceptClause): number {
  return b.quality - a.quality || wildcards(a) - wildcards(b);
}

function wildcards({ mediaType }: AcceptClause): number {
  if (mediaType === '*/*') return 2;
  return mediaType.endsWith('/*') ? 1 : 0;
}

/** Kubernetes' router for built-in kinds compares media types literally; the only wildcard it supports is that for all types. */
export function isRouted(accept: string, types: readonly string[]): boolean {
  if (accept === '') return true;
  return acceptClauses(accept).some(({ written }) => written === '*/*' || types.includes(written));
}

export function notRouted(types: readonly string[]): StatusError {
  return StatusError.generic(406, `406: Not Acceptable\n\nAvailable representations: ${types.join(', ')}`);
}
