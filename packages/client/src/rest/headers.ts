/** The user a request acts as. Needs the verb `impersonate`. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export function impersonationHeaders({ user, groups, uid, extra }: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': user };
  if (groups && groups.length > 0) headers['impersonate-group'] = groups;
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
  return headers;
}

/** The texts of Warning headers: `299 - "text"`, several in one header separated by commas. */
export function warningsIn(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return [header].flat().flatMap((line) => quotedTexts(line));
}

/** Quoted strings; a backslash escapes the next character. */
function quotedTexts(line: string): string[] {
  const texts: string[] = [];
  let text: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (c === '"') {
      if (text !== undefined) texts.push(text);
      text = text === undefined ? '' : undefined;
    } else if (text !== undefined) text += c === '\\' ? (line[++i] ?? '') : c;
  }
  return texts;
}
