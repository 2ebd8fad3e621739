import type { Exchange } from '@tsukube/transport';

/** The subprotocols that a WebSocket client offers; empty for other requests. Credentials are not among them. */
export function offeredProtocols(exchange: Exchange): readonly string[] {
  if (!exchange.upgrade || !exchange.takeOver) return [];
  const offered: string[] = [];
  exchange.eachHeader((name, value) => {
    if (name === 'sec-websocket-protocol') offered.push(...value.split(',').map((protocol) => protocol.trim()));
  });
  return offered;
}

/** The subprotocol whose streams can be closed one by one. kube-apiserver translates it to SPDY; older ones reach the kubelet. */
export const streamCloseProtocol = 'v5.channel.k8s.io';

const tunnelPrefix = 'SPDY/3.1+';

/** The SPDY protocols that a WebSocket client offers to tunnel. */
export function tunneledProtocols(exchange: Exchange): readonly string[] {
  return offeredProtocols(exchange)
    .filter((protocol) => protocol.startsWith(tunnelPrefix) && protocol.endsWith('.k8s.io'))
    .map((protocol) => protocol.slice(tunnelPrefix.length));
}

export const tunnelProtocol = (protocol: string): string => tunnelPrefix + protocol;
