import { goQuote } from '@tsukube/machinery';
import type { BytesAnswer } from '@tsukube/transport';
import type { Delegate } from '../filters/filter.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { answerText } from '../http/respond.ts';
import type { Logger } from '../logger.ts';

/** A failure whose reason may be shown to clients. */
export class HealthProblem extends Error {
  override readonly name = 'HealthProblem';
}

/** Throws or rejects if unhealthy. The reason is only logged, unless it is a HealthProblem. */
export interface HealthCheck {
  readonly name: string;
  /** Has its own path and is not part of the overall check. */
  readonly separate?: boolean;
  /** Listed only when it fails: kube-apiserver has no such check, and clients compare the list. */
  readonly unlisted?: boolean;
  /** Its own path shows the reason of a failure, as in kube-apiserver; the overall check does not. */
  readonly explains?: boolean;
  check(): void | Promise<void>;
}

export interface HealthChecks {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

interface Result {
  readonly name: string;
  readonly ok: boolean;
  readonly excluded?: boolean;
  readonly unlisted?: boolean;
  /** Shown to clients. */
  readonly reason?: string;
  /** Shown at the check's own path. */
  readonly cause?: string;
}

/** /healthz, /livez and /readyz, with a path for every check below them. */
export function healthDelegate(checks: () => HealthChecks, logger: Logger): Delegate {
  return function health(request) {
    const [, endpoint = '', ...rest] = request.path.split('/');
    if (endpoint !== 'healthz' && endpoint !== 'livez' && endpoint !== 'readyz') return undefined;
    const all = checks()[endpoint];
    if (rest.length === 0) {
      const parts = all.filter(({ separate }) => !separate);
      return answerAll(request, endpoint, parts, logger);
    }
    const one = all.find((check) => check.name === rest.join('/'));
    return one ? answerOne(endpoint, one, logger) : plain(404, '404 page not found\n');
  };
}

async function run({ name, check, explains, unlisted }: HealthCheck, logger: Logger): Promise<Result> {
  try {
    await check();
    return { name, ok: true, ...(unlisted && { unlisted }) };
  } catch (error) {
    logger.warn('a health check failed', { check: name, error: String(error) });
    const reason = error instanceof HealthProblem ? error.message : 'reason withheld';
    return { name, ok: false, reason, ...(explains && { cause: (error as Error).message }) };
  }
}

async function answerOne(endpoint: string, check: HealthCheck, logger: Logger): Promise<BytesAnswer> {
  const { ok, reason, cause } = await run(check, logger);
  if (ok) return answerText(200, 'ok');
  return plain(500, `internal server error: ${cause ?? `${endpoint} check failed: ${reason}`}\n`);
}

async function answerAll(
  request: IncomingRequest,
  endpoint: string,
  checks: readonly HealthCheck[],
  logger: Logger,
): Promise<BytesAnswer> {
  const excluded = new Set(request.query.getAll('exclude'));
  const results: readonly Result[] = await Promise.all(
    checks.map((check) => (excluded.has(check.name) ? { name: check.name, ok: true, excluded: true } : run(check, logger))),
  );
  const unknown = [...excluded].filter((name) => !checks.some((check) => check.name === name)).sort();
  const lines =
    results
      .filter(({ unlisted }) => !unlisted)
      .map(line)
      .join('') + excludeWarning(unknown);
  if (results.some((result) => !result.ok)) return plain(500, `${lines}${endpoint} check failed\n`);
  return plain(200, request.query.has('verbose') ? `${lines}${endpoint} check passed\n` : 'ok');
}

function line({ name, ok, excluded, reason }: Result): string {
  if (excluded) return `[+]${name} excluded: ok\n`;
  return ok ? `[+]${name} ok\n` : `[-]${name} failed: ${reason}\n`;
}

function excludeWarning(unknown: readonly string[]): string {
  if (unknown.length === 0) return '';
  return `warn: some health checks cannot be excluded: no matches for ${unknown.map(goQuote).join()}\n`;
}

function plain(status: number, body: string): BytesAnswer {
  return answerText(status, body, { 'x-content-type-options': 'nosniff' });
}
