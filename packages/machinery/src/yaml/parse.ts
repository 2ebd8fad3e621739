import type { ErrorCode, YAMLError } from 'yaml';
import { type ParsedJson, parseJson } from '../json/parse.ts';
import { NodeConverter } from './convert.ts';
import { readDocument, YamlSyntaxError } from './document.ts';

export interface YamlLimits {
  readonly bytes?: number;
  /** Maximum nesting of sequences and mappings. */
  readonly depth?: number;
}

const openingBrace = 0x7b;
const defaultBytes = 3 * 1024 * 1024;
/** Go allows 10,000. The library composes documents recursively with large stack frames, and no Kubernetes object comes near this. */
const defaultDepth = 250;

/**
 * Parses the first document of a text. `duplicates` has at most one message, which names all duplicate keys. Throws
 * YamlSyntaxError. The library is loaded on first use.
 */
export async function parseYaml(bytes: Uint8Array, limits: YamlLimits = {}): Promise<ParsedJson> {
  if (bytes.length > (limits.bytes ?? defaultBytes)) throw new YamlSyntaxError('yaml: document is too large');
  const depth = limits.depth ?? defaultDepth;
  return tryJson(bytes, depth) ?? (await parseText(decode(bytes), depth));
}

/** Most bodies sent as YAML are JSON, which means the same and is parsed many times faster. */
function tryJson(bytes: Uint8Array, depth: number): ParsedJson | undefined {
  if (bytes[0] !== openingBrace) return undefined;
  try {
    const parsed = parseJson(bytes, { limits: { depth } });
    return parsed.duplicates.length === 0 ? parsed : undefined;
  } catch {
    return undefined;
  }
}

async function parseText(text: string, depth: number): Promise<ParsedJson> {
  const library = await import('yaml');
  const lines = new library.LineCounter();
  const document = await readDocument(library, text, lines, depth);
  if (document === undefined) return { value: null, duplicates: [] };
  const [problem] = document.errors;
  if (problem !== undefined) throw syntaxError(problem, lines.linePos(problem.pos[0]).line);
  return new NodeConverter(library, lines, depth).convert(document.contents);
}

const forbidden = /[^\t\n\r\x20-\x7e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  const text = tryDecode(bytes);
  if (text === undefined) throw new YamlSyntaxError('yaml: invalid leading UTF-8 octet');
  if (forbidden.test(text)) throw new YamlSyntaxError('yaml: control characters are not allowed');
  return text;
}

function tryDecode(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Messages of Go's yaml package for the most frequent errors of the library. */
const sentences: Partial<Record<ErrorCode, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  BAD_INDENT: 'did not find expected key',
  BAD_SCALAR_START: 'found character that cannot start any token',
  TAB_AS_INDENT: 'found character that cannot start any token',
  MISSING_CHAR: "could not find expected ':'",
  BAD_DQ_ESCAPE: 'found unknown escape character',
  UNEXPECTED_TOKEN: 'did not find expected node content',
};

function syntaxError(problem: YAMLError, line: number): YamlSyntaxError {
  const sentence = sentences[problem.code] ?? problem.message.split('\n')[0] ?? '';
  return new YamlSyntaxError(`yaml: line ${line}: ${sentence}`);
}
