export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
  /** Whether the body is complete and not compressed. */
  readonly comparable: boolean;
}

/**
 * Kubernetes itself answers some client errors with 500 and no reason: resourceVersions that are not numbers, unknown directives in
 * a strategic merge patch. For resourceVersions that are too large, it waits until a timeout.
 */
function isExpected(status: number, reason: unknown, message: string): boolean {
  if (status === 504) return /^Timeout: Too large resource version: |did not complete within/.test(message);
  return status === 500 && reason === undefined;
}

/** Unsupported transfer codings and HTTP versions are refused with a line of text, as in Go. */
const refusedInALine = /^(501 Not Implemented: unsupported transfer encoding|505 HTTP Version Not Supported: .*)$/;

/** kube-apiserver's 500 for a create with a resourceVersion; also found in protobuf, which is not parsed here. */
const versionOnCreate = 'resourceVersion should not be set on objects to be created';

/** The problem of a response, for any request; undefined if there is none. */
export function complaintAbout({ status, type, body, comparable }: Answer): string | undefined {
  if (!(status >= 101 && status <= 599)) return `there is no status ${status}`;
  if (refusedInALine.test(body)) return undefined;
  if (status === 500 && body.includes(versionOnCreate)) return undefined;
  if (status < 400 || !comparable || body === '') return status >= 500 ? 'a failure without a word' : undefined;
  if (!type.startsWith('application/json')) return status >= 500 ? `a failure in ${type}` : undefined;
  const parsed = parse(body);
  if (parsed === undefined) return 'JSON that is none';
  if (parsed.kind !== 'Status' || parsed.apiVersion !== 'v1' || parsed.status !== 'Failure') return 'a failure that is no Status';
  if (parsed.code !== status) return `a Status of ${String(parsed.code)}`;
  if (typeof parsed.message !== 'string' || parsed.message === '') return 'a Status without a message';
  const { reason, message } = parsed;
  if (status >= 500) return isExpected(status, reason, message) ? undefined : 'a failure of the server';
  return typeof reason === 'string' ? undefined : 'a Status without a reason';
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
