import { Deadline } from '@tsukube/client';

export type PrometheusLabels = Readonly<Record<string, string>>;

/** A value of an instant query. */
export interface PrometheusSample {
  readonly labels: PrometheusLabels;
  readonly value: number;
  readonly timestampMs: number;
}

/** The HTTP API of Prometheus, or of anything that has the same. Rejects with PrometheusError or the reason of the signal. */
export interface PrometheusClient {
  series(match: string, sinceMs: number, signal: AbortSignal): Promise<readonly PrometheusLabels[]>;
  query(query: string, signal: AbortSignal): Promise<readonly PrometheusSample[]>;
}

export class PrometheusError extends Error {
  override readonly name = 'PrometheusError';
}

export interface PrometheusClientOptions {
  /** `http://prometheus:9090`, maybe with a path. */
  readonly url: string;
  /** For example a bearer token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** 64 MiB by default. */
  readonly maxBodyBytes?: number;
}

const timeoutMs = 30_000;

export function prometheusClient({ url, headers = {}, maxBodyBytes = 64 * 2 ** 20 }: PrometheusClientOptions): PrometheusClient {
  const base = url.replace(/\/$/, '');
  const post = async (path: string, parameters: Record<string, string>, signal: AbortSignal): Promise<unknown> => {
    const deadline = new Deadline(signal, timeoutMs);
    try {
      const response = await send(`${base}${path}`, { headers, body: new URLSearchParams(parameters), signal: deadline.signal });
      return dataOf(await readText(response, maxBodyBytes), response.status);
    } finally {
      deadline.clear();
    }
  };
  return {
    async series(match, sinceMs, signal) {
      const data = await post('/api/v1/series', { 'match[]': match, start: String(sinceMs / 1000) }, signal);
      return (Array.isArray(data) ? data : []).filter(isLabels);
    },
    async query(query, signal) {
      return samplesOf(await post('/api/v1/query', { query }, signal));
    },
  };
}

async function send(url: string, init: Pick<RequestInit, 'headers' | 'body' | 'signal'>): Promise<Response> {
  try {
    return await fetch(url, { ...init, method: 'POST', redirect: 'error' });
  } catch (error) {
    const { cause } = error as { cause?: Error };
    throw new PrometheusError(`Prometheus does not answer: ${cause?.message || (error as Error).message}`, { cause: error });
  }
}

async function readText({ body }: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxBytes) throw new PrometheusError(`Prometheus sent more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

interface Answer {
  readonly status?: unknown;
  readonly data?: unknown;
  readonly error?: unknown;
}

function dataOf(text: string, status: number): unknown {
  let answer: Answer | null;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new PrometheusError(`Prometheus answered with status ${status} and no JSON`);
  }
  if (answer?.status !== 'success') throw new PrometheusError(`Prometheus: ${answer?.error ?? `status ${status}`}`);
  return answer.data;
}

function isLabels(value: unknown): value is PrometheusLabels {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

/** A scalar is a series without labels. */
function samplesOf(data: unknown): PrometheusSample[] {
  const { resultType, result } = (data ?? {}) as { readonly resultType?: unknown; readonly result?: unknown };
  if (resultType === 'scalar') return sampleOf({}, result);
  if (resultType !== 'vector' || !Array.isArray(result))
    throw new PrometheusError('the query does not result in a vector or a scalar');
  return result.flatMap(({ metric, value }) => (isLabels(metric) ? sampleOf(metric, value) : []));
}

function sampleOf(labels: PrometheusLabels, point: unknown): PrometheusSample[] {
  if (!Array.isArray(point)) return [];
  const [seconds, value] = [Number(point[0]), Number(point[1])];
  return Number.isFinite(value) ? [{ labels, value, timestampMs: seconds * 1000 }] : [];
}
