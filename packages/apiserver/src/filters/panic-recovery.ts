import { StatusError } from '@tsukube/machinery';
import {
  Cancelled,
  CorruptValue,
  EncryptionFailed,
  NoSpace,
  RequestTooLarge,
  Unavailable,
  UnreadableValue,
} from '@tsukube/storage';
import { type Answer, ClientGone } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { answerError } from '../http/respond.ts';
import type { Logger } from '../logger.ts';
import { corruptObject } from '../registry/corrupt-objects.ts';
import type { Filter } from './filter.ts';

/** Converts errors to responses. An unknown error is a 500 whose message is only logged. */
export function panicRecovery(logger: Logger): Filter {
  const answerFor = (error: unknown, request: IncomingRequest): Answer | Promise<Answer> => {
    const { url } = request.exchange;
    if (error instanceof StatusError) return answerError(error, request);
    if (error instanceof ClientGone) return answerError(StatusError.badRequest(error.message), request);
    if (error instanceof CorruptValue) return answerError(corruptObject(error), request);
    if (error instanceof Cancelled) return answerError(cancelled, request);
    if (error instanceof RequestTooLarge) return answerError(tooLarge, request);
    if (error instanceof Unavailable) {
      logger.warn('the store is unavailable', { url, error: String(error.cause ?? error) });
      return answerError(unavailable(error), request);
    }
    if (error instanceof UnreadableValue || error instanceof EncryptionFailed) {
      logger.error('a stored value cannot be transformed', { url, error: error.message });
      return answerError(StatusError.internalError(error.reason), request);
    }
    logger.error('a request failed', { url, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return answerError(StatusError.internalError('the server could not complete the request; see its log'), request);
  };
  return function recover(request, next) {
    try {
      const answer = next(request);
      return answer instanceof Promise ? answer.catch((error) => answerFor(error, request)) : answer;
    } catch (error) {
      return answerFor(error, request);
    }
  };
}

/** Only seen by the audit log: the client is gone, or was answered at the deadline. */
const cancelled = StatusError.timeout('request did not complete within requested timeout - context canceled');

/** etcd's message, which kube-apiserver passes on. */
const tooLarge = new StatusError({ status: 'Failure', message: 'etcdserver: request is too large', code: 500 });

/** etcd's message, which operators and tools match. */
const noSpace = new StatusError({ status: 'Failure', message: 'etcdserver: mvcc: database space exceeded', code: 500 });

/** 503 if nothing was written, so that clients retry; 504 if the write may have taken effect. */
function unavailable(error: Unavailable): StatusError {
  if (error instanceof NoSpace) return noSpace;
  return error.unwritten
    ? StatusError.serviceUnavailable('the store is not available at this time, please try again')
    : StatusError.timeout('the store did not answer in time; the request may have taken effect');
}
