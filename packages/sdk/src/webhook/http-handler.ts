import { GoDurationError, goDurationMs, stringifyJson } from '@tsukube/machinery';
import { type Answer, BodyTooLarge, ClientGone, type Exchange, type ExchangeHandler } from '@tsukube/transport';
import { MalformedReview, parseReview, responseTo } from './admission-review.ts';
import { runWebhook } from './run-webhook.ts';
import type { AdmissionWebhook } from './webhook.ts';

export interface HandlerParts {
  /** Webhooks by path. */
  readonly webhooks: ReadonlyMap<string, AdmissionWebhook>;
  readonly isReady: () => boolean;
  readonly onError: (error: unknown) => void;
  readonly maxBodyBytes: number;
  readonly maxRequestsInFlight: number;
}

/** The longest timeout of a webhook. */
const maxTimeoutMs = 30_000;

/** Serves AdmissionReviews at the paths of the webhooks, and `/healthz`, `/livez` and `/readyz`. */
export function webhookHandler(parts: HandlerParts): ExchangeHandler {
  let inFlight = 0;
  return async function serveWebhook(exchange) {
    const { pathname, searchParams } = new URL(exchange.url, 'https://webhook');
    const health = healthOf(pathname, parts);
    if (health) return health;
    const webhook = parts.webhooks.get(pathname);
    const problem = problemOf(exchange, webhook) ?? (inFlight >= parts.maxRequestsInFlight ? tooMany : undefined);
    if (problem || !webhook) return problem ?? notFound;
    inFlight++;
    try {
      return await review(exchange, webhook, parts, timeoutIn(searchParams));
    } finally {
      inFlight--;
    }
  };
}

const notFound = text(404, 'there is no webhook at this path');
const tooMany = text(429, 'too many requests in flight', { 'retry-after': '1' });

function healthOf(path: string, { isReady }: HandlerParts): Answer | undefined {
  if (path === '/healthz' || path === '/livez') return text(200, 'ok');
  if (path === '/readyz') return isReady() ? text(200, 'ok') : text(503, 'not ready');
  return undefined;
}

function problemOf(exchange: Exchange, webhook: AdmissionWebhook | undefined): Answer | undefined {
  if (!webhook) return notFound;
  if (exchange.method !== 'POST') return text(405, 'webhooks are called with POST', { allow: 'POST' });
  const type = exchange.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' ? undefined : text(415, 'expected content type application/json');
}

/** The API server sends its timeout in the query: `?timeout=10s`. */
function timeoutIn(query: URLSearchParams): number {
  try {
    const ms = goDurationMs(query.get('timeout') ?? '30s');
    return ms > 0 ? Math.min(ms, maxTimeoutMs) : maxTimeoutMs;
  } catch (error) {
    if (error instanceof GoDurationError) return maxTimeoutMs;
    throw error;
  }
}

async function review(exchange: Exchange, webhook: AdmissionWebhook, parts: HandlerParts, timeoutMs: number): Promise<Answer> {
  const { signal, stop } = deadline(exchange, timeoutMs);
  try {
    const body = await exchange.body(parts.maxBodyBytes);
    const sent = parseReview(body);
    const response = await runWebhook(webhook, sent, { signal, onError: parts.onError });
    return { kind: 'bytes', status: 200, type: 'application/json', body: stringifyJson(responseTo(sent, response)) };
  } catch (error) {
    return failure(error, parts);
  } finally {
    stop();
  }
}

/** Aborted when the time is up or the client has gone. A body that is not there by then is not waited for. */
function deadline(exchange: Exchange, timeoutMs: number): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController();
  exchange.onClose(() => controller.abort(new ClientGone()));
  const timer = setTimeout(() => controller.abort(new Error(`the handler took longer than ${timeoutMs} ms`)), timeoutMs);
  const giveUp = setTimeout(() => exchange.abort(), timeoutMs + 1000);
  const stop = () => {
    clearTimeout(timer);
    clearTimeout(giveUp);
  };
  return { signal: controller.signal, stop };
}

function failure(error: unknown, { onError }: HandlerParts): Answer {
  if (error instanceof MalformedReview) return text(400, error.message);
  if (error instanceof BodyTooLarge) return text(413, error.message);
  if (!(error instanceof ClientGone)) onError(error);
  return text(500, 'internal error');
}

function text(status: number, message: string, headers: Record<string, string> = {}): Answer {
  return { kind: 'bytes', status, type: 'text/plain; charset=utf-8', body: `${message}\n`, headers };
}
