import type { JsonObject } from '@tsukube/machinery';

/** Access to an API server: the few requests that registration needs. */
export interface ApiAccess {
  /** The answer of the API server, whatever its status. Rejects if there is none within the timeout. */
  send(request: ApiAccessRequest): Promise<ApiAnswer>;
  close(): void;
}

export interface ApiAccessRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly contentType?: string;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

/** The API server refused a request. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly status: number;
  constructor({ method, path }: ApiAccessRequest, { status, body }: ApiAnswer) {
    super(`${method} ${path}: ${typeof body.message === 'string' ? body.message : `status ${status}`}`);
    this.status = status;
  }
}

/** The body of a successful answer. Throws ApiRefusal for statuses from 400 on, except those that are expected. */
export async function expectSuccess(
  access: ApiAccess,
  request: ApiAccessRequest,
  expected: readonly number[] = [],
): Promise<ApiAnswer> {
  const answer = await access.send(request);
  if (answer.status >= 400 && !expected.includes(answer.status)) throw new ApiRefusal(request, answer);
  return answer;
}

/** Server-side apply with `force`: the fields of the object belong to `fieldManager` afterwards. */
export async function applyObject(access: ApiAccess, path: string, object: JsonObject, fieldManager: string): Promise<void> {
  const query = `fieldManager=${encodeURIComponent(fieldManager)}&force=true`;
  const contentType = 'application/apply-patch+yaml';
  await expectSuccess(access, { method: 'PATCH', path: `${path}?${query}`, body: object, contentType });
}

/** Writes an error to stderr. */
export function logError(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}

/** Deletes an object, if it exists. */
export async function deleteIfExists(access: ApiAccess, path: string): Promise<void> {
  await expectSuccess(access, { method: 'DELETE', path }, [404]);
}
