import { type OutboundResponse, outboundClient } from '../../outbound/outbound-client.ts';

export interface IssuerDocument {
  readonly status: number;
  readonly text: string;
  readonly cacheControl: string;
}

export interface IssuerClient {
  /** Gets a document over HTTPS. Follows redirects to HTTPS URLs. */
  get(url: string, authorization?: string): Promise<IssuerDocument>;
  close(): void;
}

const maxResponseBytes = 1 << 20;
const maxRedirects = 5;
const timeoutMs = 30_000;

/** `ca` is a CA bundle in PEM form; without it or empty, Node's list of authorities is used. */
export function issuerClient(ca: string | undefined): IssuerClient {
  const client = outboundClient({ ca: ca || undefined, maxResponseBytes });
  const get = async (url: string, authorization: string | undefined, redirects: number): Promise<IssuerDocument> => {
    if (!url.startsWith('https:')) throw new Error(`${url} is not an https URL`);
    const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
    const response = await client.send({ method: 'GET', url: new URL(url), headers, timeoutMs });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === undefined) return documentOf(response);
    if (redirects === 0) throw new Error(`stopped after ${maxRedirects} redirects`);
    const next = new URL(location, url);
    // Credentials are not sent to another origin.
    const isSameOrigin = next.origin === new URL(url).origin;
    return get(next.href, isSameOrigin ? authorization : undefined, redirects - 1);
  };
  return { get: (url, authorization) => get(url, authorization, maxRedirects), close: () => client.close() };
}

function documentOf({ status, headers, body }: OutboundResponse): IssuerDocument {
  return { status, text: body.toString(), cacheControl: headers.get('cache-control') ?? '' };
}
