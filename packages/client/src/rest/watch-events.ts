import type { Status } from '@tsukube/machinery';
import { ConnectionError } from '../http/transport.ts';
import type { ApiClient, RestRequest } from './api-client.ts';
import { ApiError } from './api-error.ts';
import type { ApiObject, WatchEvent } from './api-object.ts';
import { readLines } from './response-body.ts';

/** The events of a watch, those that arrive together at once. ERROR events are thrown as ApiError. */
export async function* watchEvents<T extends ApiObject>(
  client: ApiClient,
  request: RestRequest,
): AsyncGenerator<WatchEvent<T>[]> {
  const response = await client.stream(request);
  for await (const lines of readLines(response, request.signal)) {
    const events: WatchEvent<T>[] = [];
    let failure: ApiError | undefined;
    for (const line of lines) {
      if (line === '') continue;
      const event = JSON.parse(line) as WatchEvent<T> | { readonly type: 'ERROR'; readonly object: Status };
      if (event.type !== 'ERROR') events.push(checked(event));
      else failure ??= new ApiError(event.object, event.object.code ?? 500);
    }
    if (events.length > 0) yield events;
    if (failure) throw failure;
  }
}

/** Consumers rely on the metadata. */
function checked<T extends ApiObject>(event: WatchEvent<T>): WatchEvent<T> {
  if (typeof event.object?.metadata !== 'object') throw new ConnectionError('an event of the watch has no object');
  return event;
}
