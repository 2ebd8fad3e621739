import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { DatabaseKind } from './databases.ts';

/** A TCP proxy in front of a database that loses the end of a transaction. */
export interface CommitProxy {
  readonly port: number;
  /** Forwards the next COMMIT of a write, but no answer after it. Resolves when it has been forwarded. */
  withholdAnswer(): Promise<void>;
  /** Does not forward the next COMMIT of a write, nor anything after it. Resolves when it has arrived. */
  withholdCommit(): Promise<void>;
  /** Closes all connections with a reset. */
  cut(): void;
  close(): Promise<void>;
}

/** Bytes of the request that writes the changes of a group; it ends with the COMMIT. */
const writes: Readonly<Record<DatabaseKind, string>> = { postgres: '"object_key":', mysql: 'INSERT INTO tsukube_changes' };

type Fault = { readonly lost: 'answer' | 'commit'; readonly onMet: () => void };

export async function startCommitProxy(kind: DatabaseKind, target: number): Promise<CommitProxy> {
  const sockets = new Set<Socket>();
  let fault: Fault | undefined;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let lost: Fault['lost'] | undefined;
    const end = () => {
      for (const socket of [client, upstream]) {
        sockets.delete(socket);
        socket.destroy();
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (fault && data.includes(writes[kind])) {
        lost = fault.lost;
        fault.onMet();
        fault = undefined;
      }
      if (lost !== 'commit') upstream.write(data);
    });
    upstream.on('data', (data) => lost ?? client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const meet = (lost: Fault['lost']) =>
    new Promise<void>((resolve) => {
      fault = { lost, onMet: resolve };
    });
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    withholdAnswer: () => meet('answer'),
    withholdCommit: () => meet('commit'),
    cut,
    close: () => {
      cut();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
