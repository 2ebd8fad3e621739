import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy with the faults of networks. */
export interface TcpProxy {
  readonly port: number;
  /** The port it forwards to; new connections use the current value. */
  target: number;
  /** Connections are refused while this is true. */
  isDown: boolean;
  readonly connections: number;
  /** Closes all connections with a reset. */
  cut(): void;
  /** Existing connections stay open but carry nothing any more, as behind a firewall that forgot them. */
  silence(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    if (proxy.isDown) return client.destroy();
    const upstream = connect(proxy.target, '127.0.0.1');
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.setNoDelay(true).on('error', end).on('close', end);
    client.pipe(upstream);
    upstream.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = {
    port: (server.address() as AddressInfo).port,
    target,
    isDown: false,
    get connections() {
      return pairs.size;
    },
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
    },
    silence() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream);
        upstream.unpipe(client);
        client.pause();
        upstream.pause();
      }
    },
    close: () => {
      proxy.cut();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}

/** The kubeconfig with another port. */
export function throughPort(kubeconfig: string, port: number): string {
  return kubeconfig.replace(/(server: https:\/\/[^:]+:)\d+/, `$1${port}`);
}

export function portOf(kubeconfig: string): number {
  return Number(/server: https:\/\/[^:]+:(\d+)/.exec(kubeconfig)?.[1]);
}
