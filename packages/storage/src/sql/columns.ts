import type { ObjectColumns } from './dialect.ts';

export const noColumns: ObjectColumns = { apiVersion: null, kind: null, namespace: null, name: null, labels: null };

const METADATA = Buffer.from(',"metadata":{');
/** Kind and apiVersion come first and are short. */
const MAX_HEAD_BYTES = 1024;
const MAX_METADATA_BYTES = 64 * 1024;
const MAX_TEXT = 253;
const MAX_LABELS = 4096;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Reads the columns from a stored object, whose JSON starts with kind, apiVersion and metadata. Only that part is parsed.
 * Anything else, such as an encrypted value, has no columns.
 */
export function columnsOf(value: Uint8Array): ObjectColumns {
  if (value[0] !== OPEN) return noColumns;
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const at = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(METADATA);
  const end = at < 0 ? -1 : endOfObject(bytes, at + METADATA.length - 1);
  if (end < 0) return noColumns;
  try {
    return toColumns(JSON.parse(`${bytes.toString('utf8', 0, end)}}`));
  } catch {
    return noColumns;
  }
}

/** The offset after the closing brace of the object that opens at `start`; -1 if it is too long. */
function endOfObject(bytes: Buffer, start: number): number {
  const limit = Math.min(bytes.length, start + MAX_METADATA_BYTES);
  let depth = 0;
  for (let i = start; i < limit; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i, limit);
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return i + 1;
  }
  return -1;
}

function endOfString(bytes: Buffer, start: number, limit: number): number {
  for (let i = start + 1; i < limit; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  return limit;
}

interface StoredHead {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata: { readonly namespace?: unknown; readonly name?: unknown; readonly labels?: unknown };
}

function toColumns({ apiVersion, kind, metadata }: StoredHead): ObjectColumns {
  const { namespace, name, labels } = metadata;
  return {
    apiVersion: textColumn(apiVersion),
    kind: textColumn(kind),
    namespace: textColumn(namespace),
    name: textColumn(name),
    labels: labelsColumn(labels),
  };
}

/** Databases refuse NUL and lone surrogates in text. */
function textColumn(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_TEXT || value.includes('\0')) return null;
  return Buffer.from(value).toString() === value ? value : null;
}

function labelsColumn(labels: unknown): string | null {
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) return null;
  const text = JSON.stringify(labels);
  return text.length <= MAX_LABELS && isPrintableAscii(text) && !text.includes('\\') ? text : null;
}

function isPrintableAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || unit > 0x7e) return false;
  }
  return true;
}
