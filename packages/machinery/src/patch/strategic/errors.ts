import { StatusError } from '../../errors/status-error.ts';
import type { JsonObject, JsonValue } from '../../json/value.ts';
import { goTypeText, goValueText } from '../../text/go-value.ts';

/** What Kubernetes does not say a reason for is answered as 500, even where the client is to blame. */
export function unexplained(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

export function badRetainKeys(): StatusError {
  return StatusError.badRequest('invalid patch format of retainKeys');
}

export function badElementOrder(): StatusError {
  return StatusError.badRequest('invalid patch format of setElementOrder list');
}

export function badPrimitiveList(): StatusError {
  return StatusError.badRequest('invalid patch format of primitive list');
}

export function listOfLists(): StatusError {
  return StatusError.generic(422, 'lists of lists are not supported');
}

export function noMergeKey(item: JsonObject, mergeKey: string): StatusError {
  return unexplained(`map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownPatchType(directive: JsonValue, patch: JsonObject): StatusError {
  const shown = typeof directive === 'string' ? directive : `%!s(${goTypeText(directive)}=${goValueText(directive)})`;
  return unexplained(`unknown patch type: ${shown} in map: ${goValueText(patch)}`);
}

export function wrongType(expected: 'map[string]interface {}' | '[]interface {}', actual: JsonValue | undefined): StatusError {
  const received = actual === null || actual === undefined ? '%!s(<nil>)' : goTypeText(actual);
  return unexplained(`expected a ${expected}, but received a ${received}`);
}
