import { isObject, JsonSyntaxError, type JsonValue, jsonKind, parseJson, StatusError } from '@tsukube/machinery';

export interface Continuation {
  /** The revision of the snapshot; -1 for the newest state. */
  readonly revision: number;
  /** The first key of the next page. */
  readonly from: string;
}

/** Encodes the snapshot's revision and the key after the last one, relative to the listed prefix. */
export function encodeContinue(lastKey: string, prefix: string, revision: number): string {
  const token = { v: 'meta.k8s.io/v1', rv: revision, start: `${lastKey.slice(prefix.length)}\u0000` };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

/** A token for the same key in the newest state, for a client whose snapshot was compacted. */
export function renewContinue({ from }: Continuation, prefix: string): string {
  const token = { v: 'meta.k8s.io/v1', rv: -1, start: from.slice(prefix.length) };
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export function decodeContinue(text: string, prefix: string): Continuation {
  checkBase64(text);
  const token = parse(text);
  if (token.v !== 'meta.k8s.io/v1') throw invalid(`: server does not recognize this encoded version ${token.v}`);
  if (token.rv === 0) throw invalid(': incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  if (token.start === '') throw invalid(': encoded start key empty (version meta.k8s.io/v1)');
  if (!staysBelow(token.start)) throw invalid(`: ${token.start}`);
  return { revision: token.rv, from: prefix + token.start.replace(/^\//, '') };
}

/** Reports the first invalid byte, as Go's decoder of unpadded base64 does. */
function checkBase64(text: string): void {
  const illegal = text.search(/[^\w-]/);
  const isCutOff = illegal < 0 && text.length % 4 === 1;
  if (illegal >= 0 || isCutOff) throw invalid(`: illegal base64 data at input byte ${isCutOff ? text.length - 1 : illegal}`);
}

interface Token {
  v: string;
  rv: number;
  start: string;
}

function parse(text: string): Token {
  try {
    return readToken(parseJson(Buffer.from(text, 'base64url')).value);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw invalid(`: ${error.message}`);
    throw error;
  }
}

const fieldTypes = { v: 'string', rv: 'int64', start: 'string' } as const;

/** Reads the fields as Go decodes them: names in any case, null as absent, the first wrong type reported. */
function readToken(value: JsonValue): Token {
  const token: Token = { v: '', rv: 0, start: '' };
  if (value === null) return token;
  if (!isObject(value)) throw invalid(`: json: cannot unmarshal ${jsonKind(value)} into Go value of type storage.continueToken`);
  for (const [name, field] of Object.entries(value)) {
    const known = name.toLowerCase() as keyof Token;
    if (!Object.hasOwn(fieldTypes, known) || field === null) continue;
    const type = fieldTypes[known];
    const isRight = type === 'string' ? typeof field === 'string' : Number.isSafeInteger(field);
    if (!isRight)
      throw invalid(
        `: json: cannot unmarshal ${jsonType(field, type)} into Go struct field continueToken.${known} of type ${type}`,
      );
    Object.assign(token, { [known]: field });
  }
  return token;
}

/** As Go describes a value of the wrong type; it quotes numbers. */
function jsonType(value: JsonValue, wanted: string): string {
  const kind = jsonKind(value);
  return kind === 'number' && wanted === 'int64' ? `number ${value}` : kind;
}

/** A crafted token must not leave the listed prefix. */
function staysBelow(start: string): boolean {
  return start
    .replace(/^\//, '')
    .split('/')
    .every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}

function invalid(reason: string): StatusError {
  return StatusError.badRequest(`invalid continue token: continue key is not valid${reason}`);
}
