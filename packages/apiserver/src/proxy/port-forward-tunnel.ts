import type { IncomingMessage } from 'node:http';
import { type Answer, acceptWebSocket, webSocketDuplex } from '@tsukube/transport';
import { answerText } from '../http/respond.ts';
import type { ResourceRequest } from '../registry/resource-request.ts';
import type { Backend } from './backend.ts';
import { upgradeHeaders } from './proxy-headers.ts';
import { joinSockets, refusal, requestUpgrade, upgradeError } from './proxy-upgrade.ts';
import { tunneledProtocols, tunnelProtocol } from './websocket-protocols.ts';

const webSocketHeaders: ReadonlySet<string> = new Set([
  'sec-websocket-protocol',
  'sec-websocket-key',
  'sec-websocket-version',
  'upgrade',
  'x-stream-protocol-version',
]);

/** Tunnels a SPDY connection to the kubelet through the messages of a WebSocket. `onAnswered` gets the code of the response. */
export async function tunnelSpdy(
  request: ResourceRequest,
  backend: Backend,
  target: string,
  onAnswered: (code: number) => void,
): Promise<Answer> {
  const versions = tunneledProtocols(request.exchange).flatMap((protocol) => ['x-stream-protocol-version', protocol]);
  const headers = [...upgradeHeaders(request, webSocketHeaders), 'upgrade', 'SPDY/3.1', ...versions];
  const asked = { method: 'POST', target, headers };
  const answered = await requestUpgrade(backend, asked, request.signal).catch((error: Error) => {
    throw upgradeError(`error dialing backend: ${error.message}`);
  });
  if (answered.is === 'refused') {
    onAnswered(answered.response.statusCode ?? 500);
    return refusal(answered.response);
  }
  const { socket, head, response } = answered;
  if (!isSpdy(response)) {
    socket.destroy();
    onAnswered(500);
    return answerText(500, 'unable to upgrade: missing upgrade headers in response\n', { 'x-content-type-options': 'nosniff' });
  }
  const version = response.headers['x-stream-protocol-version'];
  const webSocket = acceptWebSocket(request.exchange, typeof version === 'string' ? tunnelProtocol(version.trim()) : '');
  webSocket.then(
    (client) => joinSockets(request, { socket: webSocketDuplex(client), head: noBytes }, { socket, head }),
    () => socket.destroy(),
  );
  onAnswered(101);
  return { kind: 'taken-over', status: 101 };
}

const noBytes = Buffer.alloc(0);

export function isSpdy({ headers }: IncomingMessage): boolean {
  const has = (value: string | undefined, text: string) => value?.toLowerCase().includes(text) === true;
  return has(headers.connection, 'upgrade') && has(headers.upgrade, 'spdy/3.1');
}
