import {
  type Backend,
  hostPortOf,
  type IncomingRequest,
  joinSockets,
  refusal,
  requestUpgrade,
  type ShutdownNotice,
  switchingHead,
  takeOverClient,
  UpgradeFailed,
  upgradeHeaders,
} from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import type { Connections } from './connections.ts';
import { identityHeaders, withoutIdentity } from './identity-headers.ts';
import { plainError, serviceUnavailable, targetOf } from './proxy.ts';
import type { RemoteApi } from './remote-api.ts';

/**
 * Forwards a request for another protocol, on a connection of its own that is never used again, and then the bytes in both directions.
 * Another address is tried only if the connection fails.
 */
export async function proxyUpgradeToBackend(
  request: IncomingRequest,
  api: RemoteApi,
  connections: Connections,
  shutdown: ShutdownNotice,
): Promise<Answer> {
  const backends = await connections.backendsOf(api).catch(() => []);
  if (backends.length === 0) return serviceUnavailable();
  for (const [i, backend] of backends.entries()) {
    try {
      return await join(request, backend, shutdown);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof UpgradeFailed && !error.wasConnected && i < backends.length - 1 && !request.isOver) continue;
      return plainError(503, error instanceof StatusError ? (error.status.message ?? '') : error.message);
    }
  }
  return serviceUnavailable();
}

async function join(request: IncomingRequest, backend: Backend, shutdown: ShutdownNotice): Promise<Answer> {
  const own = [...withoutIdentity(upgradeHeaders(request)), ...identityHeaders(request.user)];
  const headers = ['host', hostPortOf(backend), ...own];
  const answered = await requestUpgrade(backend, { method: request.method, target: targetOf(request), headers }, request.signal);
  if (answered.is === 'refused') return refusal(answered.response);
  const { socket, head, response } = answered;
  const client = takeOverClient(request, socket);
  client.socket.write(switchingHead(response), 'latin1');
  joinSockets({ shutdown }, client, { socket, head });
  return { kind: 'taken-over', status: 101 };
}
