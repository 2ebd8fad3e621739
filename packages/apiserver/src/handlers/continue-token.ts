import { isObject, JsonSyntaxError, parseJson, StatusError } from '@tsukube/machinery';

export interface Continuation {
  /** The revision of the snapshot; -1 for whatever is newest. */
  readonly revision: number;
  /** The first key that has not been seen. */
  readonly from: string;
}

/** The token says where to go on and in which snapshot; keys in it are relative to what is listed. */
export function encodeContinue(lastKey: string, prefix: string, revision: number): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${lastKey.slice(prefix.length)}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** A token with the same place for the newest state, for a client whose snapshot is gone. */
export function renewContinue({ from }: Continuation, prefix: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: -1, start: from.slice(prefix.length) };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export function decodeContinue(text: string, prefix: string): Continuation {
  if (!/^[\w-]*$/.test(text)) throw invalid('continue key is not valid: illegal base64 data');
  const token = parse(text);
  if (token.v !== 'meta.k8s.io/v1')
    throw invalid(`continue key is not valid: server does not recognize this encoded version ${token.v ?? ''}`);
  if (typeof token.rv !== 'number' || !Number.isSafeInteger(token.rv)) throw invalid('continue key is not valid');
  if (token.rv === 0)
    throw invalid('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (typeof token.start !== 'string') throw invalid('continue key is not valid');
  if (token.start === '') throw invalid('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  if (!staysBelow(token.start)) throw invalid(`continue key is not valid: ${token.start}`);
  return { revision: token.rv, from: prefix + token.start.replace(/^\//, '') };
}

function parse(text: string): { v?: unknown; rv?: unknown; start?: unknown } {
  try {
    const { value } = parseJson(Buffer.from(text, 'base64url'));
    if (isObject(value)) return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalid(`continue key is not valid: ${error.message}`);
    throw error;
  }
  throw invalid('continue key is not valid');
}

/** A token that climbs out of what is listed is somebody's attempt at something. */
function staysBelow(start: string): boolean {
  return start
    .replace(/^\//, '')
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(reason: string): StatusError {
  return StatusError.badRequest(`invalid continue token: ${reason}`);
}
