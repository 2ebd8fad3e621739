/** Whether Go would take a text as the target of a request: an absolute URI, or an absolute path. */
export function isRequestUri(text: string): boolean {
  if (text === '' || hasControlCharacter(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? '';
  const rest = (scheme === '' ? text : text.slice(scheme.length + 1)).split('?', 1)[0] ?? '';
  if (!rest.startsWith('/')) return scheme !== '';
  if (scheme === '' || !rest.startsWith('//')) return isEscaped(rest);
  const slash = rest.indexOf('/', 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  return isAuthority(authority) && (slash < 0 || isEscaped(rest.slice(slash)));
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Every percent sign begins two hexadecimal digits. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? '' : authority.slice(0, at);
  return /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && isEscaped(user) && isHost(authority.slice(at + 1));
}

function isHost(host: string): boolean {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    return end > 0 && isPort(host.slice(end + 1)) && isHostText(withoutZone(host.slice(0, end)));
  }
  const colon = host.lastIndexOf(':');
  return (colon < 0 || isPort(host.slice(colon))) && isHostText(host);
}

/** An IPv6 address without its zone, which begins with an escaped percent sign. */
function withoutZone(address: string): string {
  const zone = address.indexOf('%25');
  return `${zone < 0 ? address : address.slice(0, zone)}]`;
}

function isPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text);
}

/** Characters beyond ASCII may be escaped, and the percent sign itself; nothing else may. */
function isHostText(host: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is allowed.
  return /^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]|[^\x00-\x7f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/.test(host);
}
