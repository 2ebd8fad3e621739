import type { User } from '@tsukube/apiserver';

const extraPrefix = 'x-remote-extra-';
const replaced: ReadonlySet<string> = new Set(['x-remote-user', 'x-remote-uid', 'x-remote-group', 'authorization', 'host']);

/** Headers without those that name a user and without credentials; names and values alternate. */
export function withoutIdentity(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = (headers[i] ?? '').toLowerCase();
    if (!replaced.has(name) && !name.startsWith(extraPrefix)) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}

/** Headers that name the user to a backend, which trusts them because of the client certificate. */
export function identityHeaders({ name, uid = '', groups, extra = {} }: User): string[] {
  const headers = ['x-remote-user', headerValue(name)];
  if (uid !== '') headers.push('x-remote-uid', headerValue(uid));
  for (const group of groups) headers.push('x-remote-group', headerValue(group));
  for (const [key, values] of Object.entries(extra))
    for (const value of values) headers.push(extraPrefix + escapedKey(key), headerValue(value));
  return headers;
}

/** Go sends the bytes of UTF-8; Node takes one character for each byte. */
function headerValue(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const legal = /[!#$&'*+\-.^_`|~0-9a-zA-Z]/;

/** Percent-encodes bytes that may not be in the name of a header. */
function escapedKey(key: string): string {
  const characters = [...Buffer.from(key).toString('latin1')];
  return characters
    .map((each) => (legal.test(each) ? each : `%${each.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`))
    .join('');
}
