import { createHash } from 'node:crypto';
import { type Annotations, DekSourceType, decodeEncryptedObject, type EncryptedObject } from './kms-messages.ts';

const MAX_KEY_ID_BYTES = 1024;
const MAX_DEK_SOURCE_BYTES = 1024;
const MAX_ANNOTATIONS_BYTES = 32 * 1024;

/** Decodes and validates an EncryptedObject with kube-apiserver's limits. Throws. */
export function readEncryptedObject(data: Uint8Array): EncryptedObject {
  let object: EncryptedObject;
  try {
    object = decodeEncryptedObject(data);
  } catch (cause) {
    throw new Error('proto: cannot parse invalid wire-format data', { cause });
  }
  if (object.encryptedData.length === 0) throw new Error('encrypted data is empty');
  checkDekSource(object);
  return object;
}

/** An EncryptedObject without its data: the DEK source as encrypted by the plugin. */
export type DekSource = Omit<EncryptedObject, 'encryptedData'>;

export function checkDekSource({ dekSourceType, encryptedDekSource, keyId, annotations }: DekSource): void {
  if (dekSourceType !== DekSourceType.aesGcmKey && dekSourceType !== DekSourceType.hkdfSeed)
    throw new Error(`unknown encryptedDEKSourceType: ${dekSourceType}`);
  const size = encryptedDekSource.length;
  if (size === 0) throw new Error('failed to validate encrypted DEK source: encrypted DEK source is empty');
  if (size > MAX_DEK_SOURCE_BYTES)
    throw new Error(
      `failed to validate encrypted DEK source: encrypted DEK source is ${size} bytes, which exceeds the max size of ${MAX_DEK_SOURCE_BYTES}`,
    );
  const problem = keyIdProblem(keyId);
  if (problem) throw new Error(`failed to validate key id: ${problem.message}`);
  const invalid = annotationsProblem(annotations);
  if (invalid !== undefined) throw new Error(`failed to validate annotations: ${invalid}`);
}

/** `code` is the label in kube-apiserver's metric. */
export function keyIdProblem(keyId: string): { readonly code: string; readonly message: string } | undefined {
  const size = Buffer.byteLength(keyId);
  if (size === 0) return { code: 'empty', message: 'keyID is empty' };
  if (size > MAX_KEY_ID_BYTES)
    return { code: 'too_long', message: `keyID is ${size} bytes, which exceeds the max size of ${MAX_KEY_ID_BYTES}` };
  return undefined;
}

const MAX_DOMAIN_CHARACTERS = 253;
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function annotationsProblem(annotations: Annotations): string | undefined {
  const problems: string[] = [];
  let size = 0;
  for (const [key, value] of annotations) {
    size += Buffer.byteLength(key) + value.length;
    if (!isFullyQualified(key))
      problems.push(`annotations: Invalid value: ${JSON.stringify(key)}: must be a fully qualified domain name`);
  }
  if (size > MAX_ANNOTATIONS_BYTES)
    problems.push(`total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATIONS_BYTES}`);
  return problems.length === 0 ? undefined : problems.join(', ');
}

function isFullyQualified(name: string): boolean {
  if (name.length > MAX_DOMAIN_CHARACTERS) return false;
  const labels = (name.endsWith('.') ? name.slice(0, -1) : name).split('.');
  return labels.length >= 2 && labels.every((part) => label.test(part));
}

/** Equal for DEK sources that decrypt to the same key. */
export function cacheKeyOf({ dekSourceType, encryptedDekSource, keyId, annotations }: DekSource): string {
  const source = Buffer.from(encryptedDekSource.buffer, encryptedDekSource.byteOffset, encryptedDekSource.length);
  const key = `${dekSourceType}:${keyId.length}:${keyId}:${source.length}:${source.toString('latin1')}`;
  if (annotations.size === 0) return key;
  const sorted = [...annotations].sort(([a], [b]) => (a < b ? -1 : 1));
  return `${key}:${JSON.stringify(sorted.map(([name, value]) => [name, Buffer.from(value).toString('base64')]))}`;
}

/** Key IDs appear in logs and metrics as their hash, as in kube-apiserver. */
export function hashIfNotEmpty(text: string): string {
  return text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
