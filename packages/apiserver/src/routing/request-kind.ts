import type { RequestInfo } from './request-info.ts';

const takenOver = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Requests that last as long as somebody wants them to. */
export function isLongRunning({ isResource, verb, subresource }: RequestInfo): boolean {
  if (verb === 'watch' || verb === 'proxy') return true;
  return isResource && subresource !== '' && takenOver.has(subresource);
}

export function isReading({ verb }: RequestInfo): boolean {
  return verb === 'get' || verb === 'list' || verb === 'head' || verb === 'watch';
}
