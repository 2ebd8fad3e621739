import { readFileSync } from 'node:fs';
import type { User } from '@tsukube/apiserver';

/** The users of --token-auth-file: a line each of token, user, uid and, optionally, groups in quotes. */
export function readTokenFile(path: string): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const [i, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token = '', name = '', uid = '', groups = ''] = fields(line);
    if (token === '' || name === '') throw new Error(`${path}:${i + 1}: a line needs a token, a user and a uid`);
    const listed = groups === '' ? [] : groups.split(',').map((group) => group.trim());
    users.set(token, { name, uid, groups: listed });
  }
  return users;
}

/** CSV: a field in quotes may contain commas, and quotes that are doubled. */
function fields(line: string): string[] {
  const found = line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g);
  return [...found].map(([, quoted, plain]) => (quoted !== undefined ? quoted.replaceAll('""', '"') : (plain ?? '').trim()));
}
