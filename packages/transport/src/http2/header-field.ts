/** How HTTP/2 treats a field, by its name. */
export const headerRole = {
  plain: 0,
  method: 1,
  scheme: 2,
  authority: 3,
  path: 4,
  contentLength: 5,
  /** Only `trailers` is allowed. */
  te: 6,
  /** Makes the request malformed. */
  forbidden: 7,
} as const;

/** A field name with its role. */
export interface HeaderName {
  readonly text: string;
  readonly role: number;
}

const roles: Readonly<Record<string, number>> = {
  ':method': headerRole.method,
  ':scheme': headerRole.scheme,
  ':authority': headerRole.authority,
  ':path': headerRole.path,
  'content-length': headerRole.contentLength,
  te: headerRole.te,
  connection: headerRole.forbidden,
  'keep-alive': headerRole.forbidden,
  'proxy-connection': headerRole.forbidden,
  'transfer-encoding': headerRole.forbidden,
  upgrade: headerRole.forbidden,
};

/** Names that Kubernetes clients send and the static table lacks: interned, so that they are not allocated per request. */
const familiar = [
  'audit-id',
  'impersonate-user',
  'impersonate-uid',
  'impersonate-group',
  'kubectl-command',
  'kubectl-session',
  'sec-websocket-protocol',
  'traceparent',
  'x-forwarded-for',
  'x-forwarded-uri',
  'x-real-ip',
  'x-remote-user',
  'x-remote-uid',
  'x-remote-group',
  'x-stream-protocol-version',
];

/** A token in lower case. */
const token = /^[a-z0-9!#$%&'*+\-.^_`|~]+$/;

const known = new Map<string, HeaderName>();
for (const name of [...Object.keys(roles), ...familiar]) internedName(name);

/** Interns a name. Only for constant names: the map is never trimmed. */
export function internedName(text: string): HeaderName {
  const name = known.get(text) ?? { text, role: roleOf(text) };
  known.set(text, name);
  return name;
}

/** The name of a received field. */
export function headerName(text: string): HeaderName {
  return known.get(text) ?? { text, role: roleOf(text) };
}

function roleOf(text: string): number {
  const special = Object.hasOwn(roles, text) ? roles[text] : undefined;
  return special ?? (token.test(text) ? headerRole.plain : headerRole.forbidden);
}

/** A header field, as the HPACK tables keep it. */
export interface HeaderField {
  readonly name: HeaderName;
  readonly value: string;
  /** Whether the value has only allowed characters. */
  readonly isWellFormed: boolean;
  /** RFC 7541, 4.1: counts towards the limits of tables and of header lists. */
  readonly size: number;
}

export function headerField(name: HeaderName, value: string, isWellFormed: boolean): HeaderField {
  return { name, value, isWellFormed, size: name.text.length + value.length + 32 };
}
