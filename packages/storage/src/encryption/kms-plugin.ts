import { connect } from 'node:net';
import { unary } from '../grpc/calls.ts';
import { GrpcChannel } from '../grpc/channel.ts';
import type { GrpcMethod } from '../grpc/protobuf.ts';
import { GrpcCode, type GrpcStatus } from '../grpc/status.ts';
import {
  type DecryptRequest,
  decrypt,
  type EncryptRequest,
  type EncryptResponse,
  encrypt,
  type StatusResponse,
  status,
} from './kms-messages.ts';

/** Client of a KMS plugin. Every call has a deadline and rejects with a GrpcError. */
export interface KmsPlugin {
  status(): Promise<StatusResponse>;
  encrypt(request: EncryptRequest): Promise<EncryptResponse>;
  /** Returns the plaintext. */
  decrypt(request: DecryptRequest): Promise<Uint8Array>;
  close(): void;
}

interface KmsPluginOptions {
  /** A Unix socket: a path, or `@name` in the abstract namespace of Linux. */
  readonly socket: string;
  readonly timeoutMs: number;
  /** Called after every call; `code` is the name of its gRPC status. */
  readonly observe?: ((method: string, code: string, seconds: number) => void) | undefined;
}

/** Error texts equal those of Go's gRPC client, which appear in kube-apiserver's health checks. */
class GrpcError extends Error {
  override readonly name = 'GrpcError';
  readonly code: string;

  constructor({ code, details }: GrpcStatus, options?: ErrorOptions) {
    const name = codeNames[code] ?? `Code(${code})`;
    super(`rpc error: code = ${name} desc = ${details}`, options);
    this.code = name;
  }
}

const codeNames = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
];

/** Connects on the first call, and reconnects when the connection is lost. A call waits for the connection up to its deadline. */
export function connectKmsPlugin({ socket, timeoutMs, observe }: KmsPluginOptions): KmsPlugin {
  const path = socket.startsWith('@') ? `\0${socket.slice(1)}` : socket;
  const connection = new GrpcChannel({
    url: 'http://localhost',
    createConnection: () => connect(path),
    unreachable: (cause) => new GrpcError({ code: GrpcCode.deadlineExceeded, details: reasonOf(cause) }, { cause }),
    failed: (status) => new GrpcError(status),
  });
  const call = async <Request, Response>(method: GrpcMethod<Request, Response>, request: Request): Promise<Response> => {
    const deadline = performance.now() + timeoutMs;
    await connection.whenReady(deadline);
    const message = method.encode(request);
    return method.decode(await unary(connection, { path: method.path, message, metadata: {}, deadline }));
  };
  const observed = async <Request, Response>(method: GrpcMethod<Request, Response>, request: Request): Promise<Response> => {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    try {
      const response = await call(method, request);
      observe?.(method.path, 'OK', seconds());
      return response;
    } catch (error) {
      observe?.(method.path, error instanceof GrpcError ? error.code : 'unknown-non-grpc', seconds());
      throw error;
    }
  };
  return {
    status: () => observed(status, undefined),
    encrypt: (request) => observed(encrypt, request),
    decrypt: (request) => observed(decrypt, request),
    close: () => connection.close(),
  };
}

function reasonOf(cause: unknown): string {
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  return `context deadline exceeded while waiting for the plugin${reason}`;
}
