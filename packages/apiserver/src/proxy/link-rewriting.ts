import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { constants, createDeflateRaw, createGunzip, createGzip, createInflateRaw } from 'node:zlib';
import { type Backend, hostPortOf } from './backend.ts';
import { HtmlLinks } from './html-links.ts';

/** Changes links to a backend so that they lead through the proxy path. */
export class LinkRewriter {
  readonly #prepended: string;
  readonly #hosts: ReadonlySet<string>;
  readonly #requestHost: string;

  /** `prepended` is the path of the proxy; `requestHost` the Host header of the client. */
  constructor(prepended: string, backend: Backend, requestHost: string) {
    this.#prepended = prepended;
    this.#hosts = new Set(['', hostPortOf(backend), requestHost]);
    this.#requestHost = requestHost;
  }

  /** The value of X-Forwarded-Uri. `path` is percent-encoded. */
  forwardedUri(path: string): string {
    return joinedPath(`${this.#prepended}/${path}`);
  }

  /** Links to other hosts and relative links are returned as they are. */
  rewritten(link: string): string {
    const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s.exec(link);
    const [, scheme = '', host = '', path = '', rest = ''] = parts ?? [];
    if (!parts || !this.#hosts.has(host) || !path.startsWith('/')) return link;
    const isOwn = host !== '' && host === this.#requestHost;
    const origin = isOwn ? `${scheme === '' ? '' : `${scheme}:`}//${host}` : '';
    if (path.startsWith(this.#prepended)) return `${origin}${path}${rest}`;
    return `${origin}${joinedPath(`${this.#prepended}/${path}`)}${rest}`;
  }
}

/** The body of a page with its links rewritten; the body itself in an unknown encoding. */
export function rewrittenBody(page: IncomingMessage, links: LinkRewriter): Readable {
  const encoding = page.headers['content-encoding'] ?? '';
  const rewriting = new HtmlLinks((link) => links.rewritten(link));
  const ignore = () => {};
  if (encoding === '') return pipeline(page, rewriting, ignore);
  const flush = { flush: constants.Z_SYNC_FLUSH };
  if (encoding === 'gzip') return pipeline(page, createGunzip(flush), rewriting, createGzip(), ignore);
  if (encoding === 'deflate') return pipeline(page, createInflateRaw(flush), rewriting, createDeflateRaw(), ignore);
  return page;
}

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
