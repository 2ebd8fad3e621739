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
