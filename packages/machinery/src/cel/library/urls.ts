import { declare, type FunctionDeclaration, globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { boolType, type CelType, listType, mapType, stringType } from '../types/type.ts';
import { HashMap } from '../values/hash-map.ts';
import { ArrayList, CelError, CelOpaque, type CelValue, noSuchOverload } from '../values/value.ts';
import { escapedPath, type GoUrl, GoUrlError, hostAndPort, parseRequestURI, parseUrl, queryOf, urlText } from './go-url.ts';

const urlType: CelType = { kind: 'object', name: 'kubernetes.URL', params: [] };

class UrlValue extends CelOpaque {
  readonly type = urlType;
  readonly url: GoUrl;
  constructor(url: GoUrl) {
    super();
    this.url = url;
  }
  equals(other: CelValue): CelValue {
    return other instanceof UrlValue ? other.text() === this.text() : noSuchOverload;
  }
  override text(): string {
    return urlText(this.url);
  }
}

/** The message if the text is no URL that a request may ask for. */
export function urlProblem(text: string): string | undefined {
  try {
    parseRequestURI(text);
    return undefined;
  } catch (error) {
    if (error instanceof GoUrlError) return error.message;
    throw error;
  }
}

function readUrl(text: string): CelValue {
  try {
    parseRequestURI(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error;
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}

function getQuery(url: GoUrl): CelValue {
  const query = new HashMap();
  for (const [key, values] of queryOf(url)) query.set(key, new ArrayList(values));
  return query;
}

function getter(name: string, id: string, read: (url: GoUrl) => CelValue, result: CelType = stringType): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [urlType], result, (value) => read((value as UrlValue).url)),
  );
}

export const urlsLibrary: Library = {
  functions: [
    declare(
      'url',
      globalOverload('string_to_url', [stringType], urlType, (text) => readUrl(text as string)),
    ),
    declare(
      'isURL',
      globalOverload('is_url_string', [stringType], boolType, (text) => urlProblem(text as string) === undefined),
    ),
    getter('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    getter('getHost', 'url_get_host', ({ host }) => host),
    getter('getHostname', 'url_get_hostname', (url) => hostAndPort(url).hostname),
    getter('getPort', 'url_get_port', (url) => hostAndPort(url).port),
    getter('getEscapedPath', 'url_get_escaped_path', escapedPath),
    getter('getQuery', 'url_get_query', getQuery, mapType(stringType, listType(stringType))),
  ],
};
