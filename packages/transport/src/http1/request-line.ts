import { badRequest, Refused } from './http-error.ts';

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** Of HTTP/1.x. */
  readonly minor: number;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const visible = /^[!-~]+$/;
const version = /^HTTP\/(\d)\.(\d)$/;
const usualMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export const isToken = (text: string): boolean => token.test(text);

/** Three parts with one space between each: whoever is more lenient can be made to see another request than we do. */
export function parseRequestLine(line: string): RequestLine {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first <= 0 || last === first) throw badRequest();
  const method = line.slice(0, first);
  const target = line.slice(first + 1, last);
  if (!usualMethods.has(method) && !isToken(method)) throw badRequest();
  if (!visible.test(target) || !hasForm(method, target)) throw badRequest();
  return { method, target: originForm(target), minor: minorVersion(line.slice(last + 1)) };
}

/** A path, a whole URL, or what only OPTIONS and CONNECT may ask for. */
function hasForm(method: string, target: string): boolean {
  if (target.charCodeAt(0) === 0x2f) return true;
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(target) || (method === 'OPTIONS' && target === '*') || method === 'CONNECT';
}

function minorVersion(text: string): number {
  if (text === 'HTTP/1.1') return 1;
  const match = version.exec(text);
  if (!match) throw badRequest();
  if (match[1] !== '1') throw new Refused(505, 'unsupported protocol version');
  return Number(match[2]);
}

/** Clients behind some proxies name the whole URL. */
function originForm(target: string): string {
  return target.charCodeAt(0) === 0x2f ? target : target.replace(/^https?:\/\/[^/?#]*\//i, '/');
}
