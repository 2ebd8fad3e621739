import { isObject, type JsonObject } from '@tsukube/machinery';
import { decodeObject } from './stored-form.ts';

const metadataMark = Buffer.from('"metadata":{');
const recordMark = Buffer.from(',"managedFields":[');
const typeMetaLimit = 1024;

/** Where the record of owners begins, behind all other metadata; or the end. Whatever a client says has its quotes escaped. */
export function endOfPlainMetadata(bytes: Buffer): number {
  const at = bytes.indexOf(recordMark);
  return at < 0 ? bytes.length : at;
}

/** The metadata of an object without the record of owners, parsed alone where the bytes are in our order. */
export function plainMetadata(bytes: Buffer): JsonObject {
  const start = bytes.indexOf(metadataMark);
  const end = bytes.indexOf(recordMark, start);
  if (start >= 0 && start < typeMetaLimit && end >= 0) {
    const text = `${bytes.toString('utf8', start + metadataMark.length - 1, end)}}`;
    try {
      return JSON.parse(text) as JsonObject;
    } catch {
      // Somebody else wrote it, in another order.
    }
  }
  const { metadata } = decodeObject(bytes);
  return isObject(metadata) ? metadata : {};
}
