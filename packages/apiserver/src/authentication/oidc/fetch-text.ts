import type { IncomingMessage } from 'node:http';
import { trustOptions } from '@tsukube/transport';

export interface FetchedText {
  readonly status: number;
  readonly text: string;
  readonly cacheControl: string;
}

/** Documents of issuers are small. */
const maxBytes = 1 << 20;
const maxRedirects = 5;

export interface FetchOptions {
  readonly ca?: string;
  readonly authorization?: string;
  readonly timeoutMs?: number;
}

/** Gets a document over HTTPS, following redirects that stay on HTTPS. Fails if it is not there in time or is too long. */
export async function fetchText(url: string, options: FetchOptions = {}, redirects = maxRedirects): Promise<FetchedText> {
  if (!url.startsWith('https:')) throw new Error(`${url} is not an https URL`);
  const { get } = await import('node:https');
  const { ca, authorization, timeoutMs = 30_000 } = options;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
    get(url, { ...trustOptions(ca), headers, signal: AbortSignal.timeout(timeoutMs) }, resolve).on('error', reject);
  });
  const { statusCode = 0, headers } = response;
  if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
    response.resume();
    if (redirects === 0) throw new Error('stopped after 5 redirects');
    const next = new URL(headers.location, url);
    // Who is redirected elsewhere is not to be given what was meant for the first.
    const kept = next.origin === new URL(url).origin ? options : { ...options, authorization: undefined };
    return fetchText(next.href, kept as FetchOptions, redirects - 1);
  }
  return { status: statusCode, text: await bodyOf(response), cacheControl: headers['cache-control'] ?? '' };
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error('the document is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
