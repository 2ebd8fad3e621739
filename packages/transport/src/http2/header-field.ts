/** What the rules of HTTP/2 make of a field, told by its name. */
export const role = {
  plain: 0,
  method: 1,
  scheme: 2,
  authority: 3,
  path: 4,
  contentLength: 5,
  /** May only say `trailers`. */
  te: 6,
  /** Makes the request malformed, whatever its value. */
  forbidden: 7,
} as const;

/** A name and what follows from it, known once for all fields that bear it. */
export interface HeaderName {
  readonly text: string;
  readonly role: number;
}

const roles: Readonly<Record<string, number>> = {
  ':method': role.method,
  ':scheme': role.scheme,
  ':authority': role.authority,
  ':path': role.path,
  'content-length': role.contentLength,
  te: role.te,
  connection: role.forbidden,
  'keep-alive': role.forbidden,
  'proxy-connection': role.forbidden,
  'transfer-encoding': role.forbidden,
  upgrade: role.forbidden,
};

/** What clients of Kubernetes send and the static table does not know, so that it is the same string each time. */
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

/** The characters that a name is made of, in lower case. */
const token = /^[a-z0-9!#$%&'*+\-.^_`|~]+$/;

const known = new Map<string, HeaderName>();
for (const name of [...Object.keys(roles), ...familiar]) internedName(name);

/** Remembers the name: for those of tables only, of which there is an end. */
export function internedName(text: string): HeaderName {
  const name = known.get(text) ?? { text, role: roleOf(text) };
  known.set(text, name);
  return name;
}

/** A name that a client has sent. */
export function headerName(text: string): HeaderName {
  return known.get(text) ?? { text, role: roleOf(text) };
}

function roleOf(text: string): number {
  const special = Object.hasOwn(roles, text) ? roles[text] : undefined;
  return special ?? (token.test(text) ? role.plain : role.forbidden);
}

/** A line of a header, as tables keep it. */
export interface HeaderField {
  readonly name: HeaderName;
  readonly value: string;
  /** Whether the value has only characters that a value may have. */
  readonly isWellFormed: boolean;
  /** As RFC 7541 counts it: for the bounds of tables, and of whole headers. */
  readonly size: number;
}

export function headerField(name: HeaderName, value: string, isWellFormed: boolean): HeaderField {
  return { name, value, isWellFormed, size: name.text.length + value.length + 32 };
}
