import { isObject, type JsonObject, objectIn, objectsIn, parseJson, type Status, StatusError, textIn } from '@tsukube/machinery';

export const success: Status = { status: 'Success' };

/** The result of a command from what the kubelet wrote to the error stream. Throws if the command could not be run. */
export function exitStatus(message: string, protocol: string): Status {
  if (message === '') return success;
  if (!/^v[45]\./.test(protocol)) throw new Error(`error executing remote command: ${message}`);
  const status = parsed(message);
  if (status.status === 'Success') return success;
  if (status.status !== 'Failure') throw new Error('error stream protocol error: unknown error');
  if (status.reason !== 'NonZeroExitCode') throw new Error(textIn(status, 'message'));
  return failedWith(exitCodeIn(status));
}

function parsed(message: string): JsonObject {
  try {
    const { value } = parseJson(Buffer.from(message));
    if (isObject(value)) return value;
  } catch {}
  throw new Error(`error stream protocol error: invalid status in ${JSON.stringify(message)}`);
}

function exitCodeIn(status: JsonObject): number {
  const details = objectIn(status, 'details');
  if (!details) throw new Error('error stream protocol error: details must be set');
  const cause = objectsIn(details, 'causes').find((each) => each.reason === 'ExitCode');
  if (!cause) throw new Error('error stream protocol error: no ExitCode cause given');
  const text = textIn(cause, 'message');
  if (!/^\d{1,3}$/.test(text) || Number(text) > 255)
    throw new Error(`error stream protocol error: invalid exit code value ${JSON.stringify(text)}`);
  return Number(text);
}

function failedWith(code: number): Status {
  const message = `command terminated with non-zero exit code: command terminated with exit code ${code}`;
  const causes = [{ reason: 'ExitCode', message: String(code) }];
  return { status: 'Failure', message, reason: 'NonZeroExitCode', details: { causes } };
}

/** The Status of a failure before or besides the command. */
export function failureStatus(error: Error): Status {
  return error instanceof StatusError ? error.status : StatusError.internalError(error.message).status;
}
