import { MessageStream, type Metadata, unary } from '../../grpc/calls.ts';
import { type ChannelTls, GrpcChannel } from '../../grpc/channel.ts';
import type { GrpcMethod } from '../../grpc/protobuf.ts';
import { Unavailable } from '../../store.ts';
import { etcdErrorOf } from './errors.ts';

/** Round-robin over the connected members of the cluster. */
export class EtcdMembers {
  readonly #members: readonly EtcdMember[];
  #turn = 0;

  constructor(members: readonly EtcdMember[]) {
    this.#members = members;
  }

  get size(): number {
    return this.#members.length;
  }

  /** The next connected member, or undefined. */
  next(): EtcdMember | undefined {
    for (let tried = 0; tried < this.#members.length; tried++) {
      const member = this.#members[this.#turn++ % this.#members.length] as EtcdMember;
      if (member.ready) return member;
    }
    return undefined;
  }

  /** Waits for a member to be connected. */
  async ready(deadline: number): Promise<EtcdMember> {
    const connected = this.next();
    if (connected) return connected;
    try {
      return await Promise.any(this.#members.map((member) => member.whenReady(deadline)));
    } catch (cause) {
      throw new Unavailable(`etcd: no connection to ${this.#members.map(({ url }) => url).join(', ')}`, {
        cause,
        unwritten: true,
      });
    }
  }

  close(): void {
    for (const member of this.#members) member.close();
  }
}

/** The member, or proxy, at one endpoint. */
export class EtcdMember {
  readonly url: string;
  readonly #connection: GrpcChannel;

  constructor(url: string, tls: ChannelTls) {
    this.url = url;
    this.#connection = new GrpcChannel({
      url,
      tls,
      unreachable: (cause) => new Unavailable(`etcd: no connection to ${url}`, { unwritten: true, cause }),
      failed: etcdErrorOf,
    });
  }

  /** Whether the connection is up. Starts connecting if it is not. */
  get ready(): boolean {
    return this.#connection.ready;
  }

  async whenReady(deadline: number): Promise<EtcdMember> {
    await this.#connection.whenReady(deadline);
    return this;
  }

  async call<Request, Response>(
    method: GrpcMethod<Request, Response>,
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
