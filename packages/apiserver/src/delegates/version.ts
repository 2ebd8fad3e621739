import { StatusError } from '@tsukube/machinery';
import type { Delegate } from '../filters/filter.ts';
import { isRouted, notRouted } from '../http/accept.ts';
import { negotiate } from '../http/negotiation.ts';
import { answerBytes } from '../http/respond.ts';

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
