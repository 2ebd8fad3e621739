import { GrpcCode, type GrpcStatus } from '../../grpc/status.ts';
import { NoSpace, RequestTooLarge, Unavailable } from '../../store.ts';

/** An error status from etcd or from the connection to it. */
class EtcdError extends Unavailable {
  readonly details: string;
  readonly transient: boolean;

  constructor(status: GrpcStatus) {
    super(`etcd: ${status.details}`, { unwritten: isUnwritten(status) });
    this.details = status.details;
    this.transient = TRANSIENT_CODES.has(status.code) || says(status.details, TRANSIENT);
  }
}

const TRANSIENT_CODES: ReadonlySet<number> = new Set([
  GrpcCode.unavailable,
  GrpcCode.deadlineExceeded,
  GrpcCode.cancelled,
  GrpcCode.internal,
]);
const TRANSIENT = ['etcdserver: too many requests', 'etcdserver: not leader'];

/** Codes etcd uses when it rejects a request before proposing it, or applies it without effect. */
const REFUSED_CODES: ReadonlySet<number> = new Set([
  GrpcCode.invalidArgument,
  GrpcCode.failedPrecondition,
  GrpcCode.outOfRange,
  GrpcCode.notFound,
  GrpcCode.permissionDenied,
  GrpcCode.unauthenticated,
  GrpcCode.resourceExhausted,
]);
const FROM_ETCD = 'etcdserver: ';

/** Rejections whose code is also used for errors after the proposal. */
const REFUSED = ['etcdserver: no leader', 'etcdserver: not capable', 'etcdserver: rpc not supported for learner'];

function isUnwritten({ code, details, unsent }: GrpcStatus): boolean {
  return unsent || (REFUSED_CODES.has(code) && details.includes(FROM_ETCD)) || says(details, REFUSED);
}

const TOO_LARGE = ['etcdserver: request is too large', 'received message larger than max'];
const NO_SPACE = ['etcdserver: mvcc: database space exceeded'];
const STALE_TOKEN = ['etcdserver: invalid auth token', 'etcdserver: revision of auth store is old'];

export function etcdErrorOf(status: GrpcStatus): EtcdError | NoSpace | RequestTooLarge {
  if (says(status.details, TOO_LARGE)) return new RequestTooLarge();
  return says(status.details, NO_SPACE) ? new NoSpace() : new EtcdError(status);
}

/** Whether a retry, at this or another member, may succeed. */
export function isTransient(error: unknown): error is Unavailable {
  if (error instanceof EtcdError) return error.transient;
  return error instanceof Unavailable && !(error instanceof NoSpace);
}

export function isStaleToken(error: unknown): boolean {
  return STALE_TOKEN.some((text) => failedWith(error, text));
}

export function isAuthenticationOff(error: unknown): boolean {
  return failedWith(error, 'etcdserver: authentication is not enabled');
}

export function isLeaseGone(error: unknown): boolean {
  return failedWith(error, 'etcdserver: requested lease not found');
}

export function isCompacted(error: unknown): boolean {
  return failedWith(error, 'required revision has been compacted');
}

export function isFuture(error: unknown): boolean {
  return failedWith(error, 'required revision is a future revision');
}

function failedWith(error: unknown, text: string): boolean {
  return error instanceof EtcdError && error.details.includes(text);
}

function says(details: string, texts: readonly string[]): boolean {
  return texts.some((text) => details.includes(text));
}
