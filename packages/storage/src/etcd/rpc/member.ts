import { MessageStream, type Metadata, unary } from '../../grpc/calls.ts';
import { Connection, type ConnectionTls } from '../../grpc/connection.ts';
import type { Method } from '../../grpc/protobuf.ts';
import { Unavailable } from '../../store.ts';
import { failureOf } from './failure.ts';

/** One member of the etcd cluster, or whatever answers at one endpoint. */
export class Member {
  readonly url: string;
  readonly #connection: Connection;

  constructor(url: string, tls: ConnectionTls) {
    this.url = url;
    this.#connection = new Connection({
      url,
      tls,
      unreachable: (cause) => new Unavailable(`etcd: no connection to ${url}`, { unwritten: true, cause }),
      failed: failureOf,
    });
  }

  /** Whether there is a connection. Asking also makes one. */
  get ready(): boolean {
    return this.#connection.ready;
  }

  async whenReady(deadline: number): Promise<Member> {
    await this.#connection.whenReady(deadline);
    return this;
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    metadata: Metadata,
    deadline: number,
  ): Promise<Response> {
    const message = method.encode(request);
    return method.decode(await unary(this.#connection, { path: method.path, message, metadata, deadline }));
  }

  stream(path: string, metadata: Metadata): MessageStream {
    return new MessageStream(this.#connection, path, metadata);
  }

  close(): void {
    this.#connection.close();
  }
}
