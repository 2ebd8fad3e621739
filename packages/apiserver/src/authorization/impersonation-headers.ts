import { goQuote, StatusError } from '@tsukube/machinery';
import type { Exchange } from '@tsukube/transport';

/** The user in the Impersonate headers, unmodified. */
export interface RequestedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: ReadonlyMap<string, readonly string[]>;
}

const prefix = 'impersonate-';
const extraPrefix = 'impersonate-extra-';

export function isImpersonationHeader(name: string): boolean {
  return (
    name === 'impersonate-user' || name === 'impersonate-uid' || name === 'impersonate-group' || name.startsWith(extraPrefix)
  );
}

/** Undefined without impersonation. Throws 400 if there are groups, a UID or extras without a user name. */
export function requestedUser(exchange: Exchange): RequestedUser | undefined {
  if (!mentionsImpersonation(exchange)) return undefined;
  let name: string | undefined;
  let uid: string | undefined;
  const groups: string[] = [];
  const extra = new Map<string, string[]>();
  exchange.eachHeader((header, value) => {
    if (header === 'impersonate-user') name ??= value;
    else if (header === 'impersonate-uid') uid ??= value;
    else if (header === 'impersonate-group') groups.push(value);
    else if (header.startsWith(extraPrefix)) addExtra(extra, header.slice(extraPrefix.length), value);
  });
  const requested = { name: name ?? '', uid: uid ?? '', groups, extra };
  if (requested.name !== '') return requested;
  if (requested.uid === '' && groups.length === 0 && extra.size === 0) return undefined;
  const shown = sizeOf(requested) > maxShown ? 'a user' : shownUser(requested);
  throw StatusError.badRequest(`requested ${shown} without impersonating a user name`);
}

/** Larger users are not quoted in errors: a header field that costs the client one byte costs several in the quotation. */
const maxShown = 8192;

function sizeOf({ uid, groups, extra }: RequestedUser): number {
  const total = (texts: Iterable<string>) => [...texts].reduce((sum, text) => sum + text.length, 0);
  return uid.length + total(groups) + [...extra].reduce((sum, [key, values]) => sum + key.length + total(values), 0);
}

function mentionsImpersonation(exchange: Exchange): boolean {
  let found = false;
  exchange.eachHeader((header) => {
    if (header.startsWith(prefix)) found = true;
  });
  return found;
}

function addExtra(extra: Map<string, string[]>, encoded: string, value: string): void {
  const key = decodedKey(encoded);
  const values = extra.get(key);
  if (values) values.push(value);
  else extra.set(key, [value]);
}

/** Keys are percent-encoded; invalid encodings are taken literally. */
function decodedKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** Go's %#v of a user.DefaultInfo, which Kubernetes' message contains. */
function shownUser({ name, uid, groups, extra }: RequestedUser): string {
  const shownGroups = groups.length === 0 ? '[]string(nil)' : shownTexts(groups);
  const entries = [...extra].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, values]) => `${goQuote(key)}:${shownTexts(values)}`);
  const shownExtra = extra.size === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${shownGroups}, Extra:${shownExtra}}`;
}

function shownTexts(texts: readonly string[]): string {
  return `[]string{${texts.map(goQuote).join(', ')}}`;
}
