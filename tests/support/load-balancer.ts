import { get } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP load balancer as in front of API servers: round robin over the targets whose /readyz succeeds. */
export interface LoadBalancer {
  readonly port: number;
  /** Ports of the targets that new connections go to. */
  readonly healthy: readonly number[];
  close(): Promise<void>;
}

const probeMs = 100;

export async function startLoadBalancer(targets: readonly number[]): Promise<LoadBalancer> {
  const sockets = new Set<Socket>();
  let healthy: readonly number[] = targets;
  let turn = 0;
  const track = (socket: Socket) => {
    sockets.add(socket.setNoDelay(true).on('error', () => {}));
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    track(client);
    const order = [...healthy.slice(turn++ % healthy.length), ...healthy.slice(0, (turn - 1) % healthy.length)];
    forward(client, order, track);
  });
  const probe = async () => {
    const ready = await Promise.all(targets.map(isReady));
    const found = targets.filter((_, i) => ready[i]);
    // Without a healthy target all are tried, as by HAProxy and kube-proxy.
    healthy = found.length > 0 ? found : targets;
  };
  const timer = setInterval(() => void probe(), probeMs);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get healthy() {
      return healthy;
    },
    close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A target that refuses the connection is passed over. */
function forward(client: Socket, [target, ...others]: readonly number[], track: (socket: Socket) => void): void {
  if (target === undefined) return void client.destroy();
  const upstream = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
  track(upstream);
  upstream.once('error', () => upstream.connecting || forward(client, others, track));
  upstream.once('connect', () => {
    upstream.removeAllListeners('error').on('error', () => {});
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    client.on('error', end).on('close', end).pipe(upstream);
    upstream.on('error', end).on('close', end).pipe(client);
  });
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = get({ port, host: '127.0.0.1', path: '/readyz', rejectUnauthorized: false, agent: false, timeout: 2000 });
    probe.on('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(false));
  });
}
