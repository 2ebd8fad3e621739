import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { Delegate } from '../filters/filter.ts';
import { isRouted, notRouted } from '../http/accept.ts';
import { negotiate } from '../http/negotiation.ts';
import { answerBytes, answerText } from '../http/respond.ts';
import { expositionType } from '../metrics/prometheus/exposition.ts';

export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly emulationMajor: string;
  readonly emulationMinor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

const types = ['application/json'];

/** `/version`. */
export function versionPage(info: VersionInfo): Delegate {
  const body = Buffer.from(JSON.stringify(info, undefined, 2));
  return function version(request) {
    if (request.path !== '/version' && !request.path.startsWith('/version/')) return undefined;
    if (request.path.length > '/version/'.length) throw StatusError.pathNotFound();
    if (request.method !== 'GET') throw StatusError.methodNotAllowed();
    if (!isRouted(request.exchange.header('accept') ?? '', types)) throw notRouted(types);
    return { kind: 'bytes', status: 200, type: 'application/json', body };
  };
}

/** `/`: the list of paths. */
export function indexPage(paths: () => readonly string[]): Delegate {
  return function listPaths(request) {
    if (request.path !== '/' && request.path !== '/index.html') return undefined;
    const body = JSON.stringify({ paths: [...new Set(paths())].sort() }, undefined, 2);
    return answerBytes(200, Buffer.from(body), { ...negotiate(request, 'documents'), pretty: false });
  };
}

/** Metrics in Prometheus' text format. */
export interface MetricsSource {
  scrape(): Promise<string>;
}

/** `/metrics`, and `/metrics/slis` for the results of health checks. */
export function metricsPage(metrics: MetricsSource, slis: MetricsSource): Delegate {
  const pages = new Map([
    ['/metrics', metrics],
    ['/metrics/slis', slis],
  ]);
  return function scrape(request) {
    const registry = pages.get(request.path);
    if (!registry) return undefined;
    if (request.method === 'GET' || request.method === 'HEAD') return answer(registry);
    return answerText(405, 'Method Not Allowed\n', { allow: 'GET, HEAD' });
  };
}

async function answer(registry: MetricsSource): Promise<Answer> {
  return { kind: 'bytes', status: 200, type: expositionType, body: await registry.scrape() };
}
