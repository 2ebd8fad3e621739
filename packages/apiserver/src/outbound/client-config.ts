import {
  type FieldErrors,
  type FieldPath,
  goQuote,
  isDNS1123Subdomain,
  isObject,
  type JsonObject,
  type JsonValue,
  textIn,
} from '@tsukube/machinery';

const format = '; desired format: https://host[/path]';

export function defaultWebhookService(config: JsonObject | undefined): void {
  const service = config?.service;
  if (isObject(service) && service.port === undefined) service.port = 443;
}

/** A webhook has either a URL or a reference to a Service. */
export function validateWebhookClient(config: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const url = config?.url;
  const service = isObject(config?.service) ? config.service : undefined;
  if ((url === undefined) === (service === undefined)) errors.required(at, 'exactly one of url or service is required');
  else if (service) validateService(service, at.child('service'), errors);
  else validateUrl(textIn(config, 'url'), at.child('url'), errors);
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

function validateUrl(url: string, at: FieldPath, errors: FieldErrors): void {
  const parts = parseUrl(url);
  if (typeof parts === 'string') {
    errors.required(at, `url must be a valid URL: parse ${goQuote(url)}: ${parts}${format}`);
    return;
  }
  if (parts.scheme !== 'https') errors.invalid(at, parts.scheme, `'https' is the only allowed URL scheme${format}`);
  if (parts.host === '') errors.invalid(at, '', `host must be specified${format}`);
  if (parts.user !== undefined) errors.invalid(at, parts.user, 'user information is not permitted in the URL');
  if (parts.fragment !== '') errors.invalid(at, parts.fragment, 'fragments are not permitted in the URL');
  if (parts.query !== '') errors.invalid(at, parts.query, 'query parameters are not permitted in the URL');
}

/** Parses a URL as Go's net/url does and returns its parts or the error text. WHATWG's URL normalizes too much. */
function parseUrl(url: string): UrlParts | string {
  for (const character of url) if (character < ' ' || character === '\x7f') return 'net/url: invalid control character in URL';
  const [beforeFragment = '', ...fragments] = url.split('#');
  const [address = '', ...queries] = beforeFragment.split('?');
  if (address.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(address)?.[1] ?? '';
  const rest = scheme === '' ? address : address.slice(scheme.length + 1);
  if (scheme === '' && /^[^/]*:/.test(rest)) return 'first path segment in URL cannot contain colon';
  const authority = /^\/\/([^/]*)/.exec(rest)?.[1] ?? '';
  const userEnd = authority.lastIndexOf('@');
  const host = authority.slice(userEnd + 1);
  const common = { scheme: scheme.toLowerCase(), query: queries.join('?'), fragment: fragments.join('#') };
  return hostProblem(host) ?? { ...common, host, user: userEnd < 0 ? undefined : authority.slice(0, userEnd) };
}

function hostProblem(host: string): string | undefined {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) return "missing ']' in host";
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = colon < 0 ? '' : host.slice(colon);
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  return host.includes(' ') ? 'invalid character " " in host name' : undefined;
}

function validateService(service: JsonObject, at: FieldPath, errors: FieldErrors): void {
  // Kubernetes reports the two fields the wrong way round.
  if (!service.namespace) errors.required(at.child('name'));
  if (!service.name) errors.required(at.child('namespace'));
  const port = Number(service.port ?? 0);
  if (port < 1 || port > 65535)
    errors.invalid(at.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive');
  if (service.path !== undefined) validatePath(service.path, at.child('path'), errors);
}

function validatePath(value: JsonValue, at: FieldPath, errors: FieldErrors): void {
  const path = String(value);
  if (path === '' || path === '/') return;
  if (path === '//') {
    errors.invalid(at, path, 'segment[0] may not be empty');
    return;
  }
  if (!path.startsWith('/')) errors.invalid(at, path, "must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [i, step] of steps.entries()) {
    if (step === '') errors.invalid(at, path, `segment[${i}] may not be empty`);
    else for (const problem of isDNS1123Subdomain(step)) errors.invalid(at, path, `segment[${i}]: ${problem}`);
  }
}
