/** The query with its question mark; empty without one. */
export function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 || mark === url.length - 1 ? '' : url.slice(mark);
}

/** A decoded path, percent-encoded as Go does. */
export function escapedPath(path: string): string {
  if (/^[\w\-.~/$&+,:;=@]*$/.test(path)) return path;
  return encodeURIComponent(path)
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Joins the path of an object and that behind its subresource, without `.` and `..`. */
export function joinedPath(path: string): string {
  if (path === '') return '';
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  const clean = `/${parts.join('/')}`;
  return path.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}
