import { StatusError } from '../errors/status-error.ts';
import { cannotUnmarshal, jsonKind } from '../json/errors.ts';
import { isParsedObject, type ParsedObject, type ParsedValue } from '../json/number-literal.ts';
import { goQuote } from '../text/go-quote.ts';
import { PatchedDocument, PatchFailure } from './patched-document.ts';

const maxOperations = 10_000;
const kinds = new Map<string, (document: PatchedDocument, operation: ParsedObject) => void>([
  ['add', (document, operation) => document.add(pathIn(operation, 'path'), valueIn(operation))],
  ['remove', (document, operation) => document.remove(pathIn(operation, 'path'))],
  ['replace', (document, operation) => document.replace(pathIn(operation, 'path'), valueIn(operation))],
  ['move', (document, operation) => document.move(pathIn(operation, 'from'), pathIn(operation, 'path'))],
  ['copy', (document, operation) => document.copy(pathIn(operation, 'from'), pathIn(operation, 'path'))],
  ['test', (document, operation) => document.test(pathIn(operation, 'path'), valueIn(operation))],
]);
const members: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/**
 * Applies all operations of a JSON patch (RFC 6902) or none. Throws a StatusError: 400 if it is not a patch, 413 if it has
 * too many operations, 422 if an operation does not apply. Never mutates document or patch. `sortTouched` sorts the keys of
 * changed objects, as Kubernetes writes them.
 */
export function jsonPatch(document: ParsedValue, patch: ParsedValue, options?: { readonly sortTouched: boolean }): ParsedValue {
  const operations = decode(patch);
  if (operations.length > maxOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${maxOperations}, got ${operations.length}`;
    throw StatusError.requestEntityTooLarge(message);
  }
  try {
    const patched = new PatchedDocument(document);
    for (const operation of operations) applyOperation(patched, operation);
    patched.checkDepth(true);
    if (options?.sortTouched) patched.sortTouched();
    return patched.root;
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error;
    // The response does not carry the reason; the log may.
    throw new StatusError(StatusError.generic(422, error.message).status, { cause: error });
  }
}

/** Strict decoding errors of a patch. Throws a StatusError (400) if it is not a patch. */
export function jsonPatchStrictErrors(patch: ParsedValue): readonly string[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw undecodable(cannotUnmarshal(patch, '[]handlers.jsonPatchOp'));
  const unknown: string[] = [];
  patch.forEach((operation, position) => {
    if (operation === null) return;
    if (!isParsedObject(operation)) throw undecodable(cannotUnmarshal(operation, 'handlers.jsonPatchOp'));
    checkTexts(operation);
    for (const key of Object.keys(operation)) {
      if (!members.has(key)) unknown.push(`json patch unknown field ${goQuote(`[${position}].${key}`)}`);
    }
  });
  return unknown;
}

function checkTexts(operation: ParsedObject): void {
  for (const key of ['op', 'path', 'from'] as const) {
    const value = operation[key] ?? '';
    if (typeof value !== 'string')
      throw undecodable(`json: cannot unmarshal ${jsonKind(value)} into Go struct field jsonPatchOp.${key} of type string`);
  }
}

function undecodable(message: string): StatusError {
  return StatusError.badRequest(`error decoding patch: ${message}`);
}

function decode(patch: ParsedValue): readonly ParsedObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) throw StatusError.badRequest(cannotUnmarshal(patch, 'jsonpatch.Patch'));
  return patch.map((operation) => {
    if (operation === null) return {};
    if (!isParsedObject(operation)) throw StatusError.badRequest(cannotUnmarshal(operation, 'jsonpatch.Operation'));
    return operation;
  });
}

function applyOperation(document: PatchedDocument, operation: ParsedObject): void {
  const kind = typeof operation.op === 'string' ? operation.op : 'unknown';
  const apply = kinds.get(kind);
  if (apply === undefined) throw new PatchFailure(`Unexpected kind: ${kind}`);
  apply(document, operation);
}

function pathIn(operation: ParsedObject, member: 'path' | 'from'): string {
  const path = operation[member];
  if (typeof path === 'string') return path;
  throw new PatchFailure(`${String(operation.op)} operation failed to decode ${member}: missing value`);
}

/** An absent value is null. */
function valueIn(operation: ParsedObject): ParsedValue {
  return operation.value ?? null;
}
