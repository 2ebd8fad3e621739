import { answerText, type Delegate } from '@tsukube/apiserver';
import { flagsAndValues, type ServeOptions } from './config/index.ts';
import { kubernetesVersion } from './version.ts';

const warning =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

/** `/flagz`: what the server runs with. */
export function flagzPage(options: ServeOptions): Delegate {
  return function flagz(request) {
    if (request.path !== '/flagz') return undefined;
    const lines = flagsAndValues(options).map(([name, value]) => `${name}=${value}\n`);
    return answerText(200, `\napiserver flagz\n${warning}\n${lines.join('')}`);
  };
}

const pages = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

/** `/statusz`: since when it runs, and what it is. */
export function statuszPage(startedAt: number, now: () => number): Delegate {
  return function statusz(request) {
    if (request.path !== '/statusz') return undefined;
    const minutes = Math.floor((now() - startedAt) / 60_000);
    const seconds = Math.floor((now() - startedAt) / 1000) % 60;
    const lines = [
      `Started:  ${new Date(startedAt).toUTCString()}`,
      `Up:  ${Math.floor(minutes / 60)} hr ${String(minutes % 60).padStart(2, '0')} min ${String(seconds).padStart(2, '0')} sec`,
      `Go version:  node${process.version}`,
      `Binary version:  ${kubernetesVersion.slice(1)}`,
      `Emulation version:  ${kubernetesVersion.slice(1).split('.').slice(0, 2).join('.')}`,
      `Paths:  ${pages.join(' ')}`,
    ];
    return answerText(200, `\napiserver statusz\n${warning}\n\n${lines.join('\n')}\n`);
  };
}
