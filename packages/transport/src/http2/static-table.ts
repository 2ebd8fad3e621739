import { type Field, fieldOf } from './field.ts';
import { nameOf } from './header-field.ts';

/** RFC 7541, appendix A, in its order. */
const entries: readonly (readonly [name: string, value?: string])[] = [
  [':authority'],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset'],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language'],
  ['accept-ranges'],
  ['accept'],
  ['access-control-allow-origin'],
  ['age'],
  ['allow'],
  ['authorization'],
  ['cache-control'],
  ['content-disposition'],
  ['content-encoding'],
  ['content-language'],
  ['content-length'],
  ['content-location'],
  ['content-range'],
  ['content-type'],
  ['cookie'],
  ['date'],
  ['etag'],
  ['expect'],
  ['expires'],
  ['from'],
  ['host'],
  ['if-match'],
  ['if-modified-since'],
  ['if-none-match'],
  ['if-range'],
  ['if-unmodified-since'],
  ['last-modified'],
  ['link'],
  ['location'],
  ['max-forwards'],
  ['proxy-authenticate'],
  ['proxy-authorization'],
  ['range'],
  ['referer'],
  ['refresh'],
  ['retry-after'],
  ['server'],
  ['set-cookie'],
  ['strict-transport-security'],
  ['transfer-encoding'],
  ['user-agent'],
  ['vary'],
  ['via'],
  ['www-authenticate'],
];

/** Counted from zero; on the wire they are counted from one. */
export const staticTable: readonly Field[] = entries.map(([name, value = '']) => fieldOf(nameOf(name), value, true));

/** The place on the wire of the first entry with this name. */
export const staticNames: ReadonlyMap<string, number> = new Map(entries.map(([name], i) => [name, i + 1] as const).reverse());

/** The place on the wire of an entry with this value. */
export const staticStatuses: ReadonlyMap<number, number> = new Map(
  entries.flatMap(([name, value], i) => (name === ':status' ? [[Number(value), i + 1] as const] : [])),
);
