import type { Delegate } from '../filters/filter.ts';
import { negotiate } from '../http/negotiation.ts';
import { answerBytes } from '../http/respond.ts';

/** `/`: the paths that can be asked for. */
export function indexPage(paths: () => readonly string[]): Delegate {
  return function listPaths(request) {
    if (request.path !== '/' && request.path !== '/index.html') return undefined;
    const body = JSON.stringify({ paths: [...new Set(paths())].sort() }, undefined, 2);
    return answerBytes(200, Buffer.from(body), { ...negotiate(request, 'documents'), pretty: false });
  };
}
