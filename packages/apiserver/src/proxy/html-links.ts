import { Transform, type TransformCallback } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Attributes that hold URLs, by element. */
const linkAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is text up to their end tag. */
const rawElements: ReadonlySet<string> = new Set([
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

/** A tag that does not end within this length is text. */
const maxTagLength = 32 * 1024;

/** Rewrites the links of an HTML page as it passes. Start tags are written anew with quoted attributes, as kube-apiserver does. */
export class HtmlLinks extends Transform {
  readonly #rewrite: (link: string) => string;
  readonly #decoder = new StringDecoder('utf8');
  #held = '';
  /** The end of raw text, such as `</script`, or of a comment. */
  #until: string | undefined;

  constructor(rewrite: (link: string) => string) {
    super();
    this.#rewrite = rewrite;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#advance(this.#decoder.write(chunk), false);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#advance(this.#decoder.end(), true);
    done();
  }

  #advance(more: string, isEnd: boolean): void {
    const text = this.#held + more;
    let at = 0;
    let out = '';
    while (at < text.length) {
      const piece = this.#until === undefined ? this.#next(text, at, isEnd) : this.#raw(text, at, this.#until, isEnd);
      if (!piece) break;
      out += piece.out;
      at = piece.end;
    }
    this.#held = text.slice(at);
    if (isEnd) out += this.#held;
    if (out !== '') this.push(out);
  }

  /** Text up to the next tag, or the tag at `at`; undefined if its end has not arrived. */
  #next(text: string, at: number, isEnd: boolean): Piece | undefined {
    if (text[at] !== '<') {
      const end = indexOr(text, '<', at, text.length);
      return { out: text.slice(at, end), end };
    }
    if (text.startsWith('<!--', at)) this.#until = '-->';
    if (this.#until !== undefined) return { out: '<!--', end: at + 4 };
    if (!isEnd && at + 4 > text.length) return undefined;
    if (!/[a-zA-Z]/.test(text[at + 1] ?? '')) return { out: '<', end: at + 1 };
    const end = endOfTag(text, at);
    if (end < 0 && (isEnd || text.length - at > maxTagLength)) return { out: '<', end: at + 1 };
    return end < 0 ? undefined : { out: this.#tag(text.slice(at, end)), end };
  }

  #raw(text: string, at: number, until: string, isEnd: boolean): Piece | undefined {
    const found = text.toLowerCase().indexOf(until, at);
    const end =
      found < 0 ? (isEnd ? text.length : Math.max(at, text.length - until.length + 1)) : found + (until === '-->' ? 3 : 0);
    if (found >= 0) this.#until = undefined;
    if (found < 0 && end === at) return undefined;
    return { out: text.slice(at, end), end };
  }

  #tag(tag: string): string {
    const { name, attributes, isSelfClosing } = parseTag(tag);
    if (rawElements.has(name) && !isSelfClosing) this.#until = `</${name}`;
    const links = Object.hasOwn(linkAttributes, name) ? linkAttributes[name] : undefined;
    const written = attributes.map(([key, value]) => {
      const shown = links?.includes(key) ? escaped(this.#rewrite(unescaped(value))) : escaped(unescaped(value));
      return ` ${key}="${shown}"`;
    });
    return `<${name}${written.join('')}${isSelfClosing ? '/' : ''}>`;
  }
}

interface Piece {
  readonly out: string;
  /** Position behind the piece. */
  readonly end: number;
}

function indexOr(text: string, what: string, from: number, otherwise: number): number {
  const at = text.indexOf(what, from);
  return at < 0 ? otherwise : at;
}

/** Position behind the `>` that ends the tag, outside of quotes; -1 if there is none. */
function endOfTag(text: string, at: number): number {
  let quote = '';
  for (let i = at + 1; i < text.length; i++) {
    const character = text.charAt(i);
    if (quote !== '') {
      if (character === quote) quote = '';
    } else if (character === '>') return i + 1;
    else if ((character === '"' || character === "'") && /=\s*$/.test(text.slice(Math.max(at, i - 8), i))) quote = character;
  }
  return -1;
}

interface Tag {
  readonly name: string;
  readonly attributes: readonly (readonly [string, string])[];
  readonly isSelfClosing: boolean;
}

function parseTag(tag: string): Tag {
  const name = /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
  const isSelfClosing = /\/>$/.test(tag);
  const inner = tag.slice(name.length + 1, isSelfClosing ? -2 : -1);
  const attributes: [string, string][] = [];
  for (const [, key = '', double, single, bare = ''] of inner.matchAll(
    /([^\s=/>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g,
  ))
    attributes.push([key.toLowerCase(), double ?? single ?? bare]);
  return { name: name.toLowerCase(), attributes, isSelfClosing };
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Stands for the ampersand of an entity that is not decoded. */
const keptAmpersand = '\uE000';

function unescaped(value: string): string {
  if (!value.includes('&')) return value;
  return value.replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,30});/gi, (whole, name: string) => {
    if (name[0] === '#')
      return characterOf(name[1]?.toLowerCase() === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1)));
    const known = Object.hasOwn(entities, name) ? entities[name] : undefined;
    return known ?? whole.replace('&', keptAmpersand);
  });
}

function characterOf(code: number): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  '\r': '&#13;',
  [keptAmpersand]: '&',
};

function escaped(value: string): string {
  return value.replace(/[&'<>"\r\uE000]/g, (character) => escapes[character] ?? character);
}
