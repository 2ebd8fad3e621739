import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import protobuf from 'protobufjs/minimal.js';

/** A KMS v2 plugin on a Unix socket. It "encrypts" by reversing bytes, enough to tell plaintext from ciphertext. */
export class KmsPlugin {
  readonly socket: string;
  /** The current key. Ciphertexts of all former keys can be decrypted. */
  keyId = 'key-1';
  healthz = 'ok';
  version = 'v2';
  annotations: Readonly<Record<string, string>> = {};
  /** Names of the methods that were called. */
  readonly calls: string[] = [];
  readonly #sessions = new Set<ServerHttp2Session>();
  #server: Http2Server | undefined;

  constructor(socket: string) {
    this.socket = socket;
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  async start(): Promise<void> {
    rmSync(this.socket, { force: true });
    this.#server = createServer().on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => {});
    });
    this.#server.on('stream', (stream, headers) => this.#onStream(stream, String(headers[':path'])));
    this.#server.listen(this.socket);
    await once(this.#server, 'listening');
  }

  async stop(): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    this.#server = undefined;
  }

  #onStream(stream: ServerHttp2Stream, path: string): void {
    const chunks: Buffer[] = [];
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const method = path.slice(path.lastIndexOf('/') + 1);
      this.calls.push(method);
      try {
        this.#respond(stream, this.#answer(method, fieldsOf(Buffer.concat(chunks).subarray(5))));
      } catch (error) {
        stream.respond({ ':status': 200, 'grpc-status': '2', 'grpc-message': (error as Error).message }, { endStream: true });
      }
    });
  }

  #respond(stream: ServerHttp2Stream, message: Uint8Array): void {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.concat([head, message]));
  }

  #answer(method: string, fields: ReadonlyMap<number, Buffer>): Uint8Array {
    const writer = protobuf.Writer.create();
    const field = (number: number, value: Uint8Array) => writer.uint32((number << 3) | 2).bytes(value);
    if (method === 'Status') {
      field(1, Buffer.from(this.version));
      field(2, Buffer.from(this.healthz));
      field(3, Buffer.from(this.keyId));
    } else if (method === 'Encrypt') {
      field(1, Buffer.from(fields.get(1) ?? []).reverse());
      field(2, Buffer.from(this.keyId));
      for (const [key, value] of Object.entries(this.annotations))
        field(3, protobuf.Writer.create().uint32(10).string(key).uint32(18).bytes(Buffer.from(value)).finish());
    } else if (method === 'Decrypt') {
      if (Object.keys(this.annotations).length > 0 && !fields.has(4)) throw new Error('annotations are missing');
      field(1, Buffer.from(fields.get(1) ?? []).reverse());
    } else throw new Error(`no method ${method}`);
    return writer.finish();
  }
}

function fieldsOf(message: Buffer): ReadonlyMap<number, Buffer> {
  const reader = protobuf.Reader.create(message);
  const fields = new Map<number, Buffer>();
  while (reader.pos < message.length) fields.set(reader.uint32() >>> 3, Buffer.from(reader.bytes()));
  return fields;
}
