/** The gRPC status codes used here. */
export const GrpcCode = {
  ok: 0,
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  outOfRange: 11,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** Status of a call. */
export interface GrpcStatus {
  readonly code: number;
  readonly details: string;
  /** The request certainly did not reach the server. */
  readonly unsent?: boolean;
}

/** Reads the status from trailers, or from the headers of a trailers-only response. */
export function grpcStatusOf(headers: Readonly<Record<string, string | string[] | number | undefined>>): GrpcStatus | undefined {
  const code = headers['grpc-status'];
  if (code !== undefined) return { code: Number(code), details: percentDecoded(String(headers['grpc-message'] ?? '')) };
  const http = headers[':status'];
  if (http !== undefined && http !== 200)
    return { code: GrpcCode.unavailable, details: `not a gRPC server: HTTP status ${http}` };
  return undefined;
}

function percentDecoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
