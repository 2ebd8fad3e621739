import {
  encodeStatus,
  type JsonValue,
  parseJson,
  type Status,
  type StatusError,
  statusBody,
  stringifyJson,
  stringifyJsonPretty,
  stringifyYaml,
  wrapProtobuf,
} from '@tsukube/machinery';
import type { Answer, AnswerHeaders, BytesAnswer } from '@tsukube/transport';
import type { ApiRequest } from './api-request.ts';
import { negotiateFailure, type Output, protobuf } from './negotiation.ts';

/** An answer whose body is a Status. Audit events take `outcome` instead of parsing the body. */
export interface StatusAnswer extends BytesAnswer {
  readonly outcome: Status;
}

/** The Status in the body, if known without parsing. */
export function statusOfAnswer(answer: BytesAnswer & Partial<StatusAnswer>): Status | undefined {
  return answer.outcome;
}

/** Responds with encoded bytes: protobuf if that was negotiated, otherwise JSON, which is converted to the negotiated format. */
export function answerBytes(
  status: number,
  body: Uint8Array,
  output: Output,
  headers?: AnswerHeaders,
): BytesAnswer | Promise<BytesAnswer> {
  const { mediaType: type } = output;
  if (type === protobuf || (type === 'application/json' && !output.pretty)) return { kind: 'bytes', status, type, body, headers };
  return answerValue(status, parseJson(body).value, output, headers);
}

/** Responds with a value without a protobuf form; as JSON to clients of protobuf. */
export async function answerValue(
  status: number,
  value: JsonValue,
  output: Output,
  headers?: AnswerHeaders,
): Promise<BytesAnswer> {
  if (output.mediaType === 'application/yaml') {
    return { kind: 'bytes', status, type: output.mediaType, body: await stringifyYaml(value), headers };
  }
  const body = output.pretty ? stringifyJsonPretty(value) : `${stringifyJson(value)}\n`;
  return { kind: 'bytes', status, type: 'application/json', body, headers };
}

/** A Status in JSON. */
export function answerStatus(status: Status): StatusAnswer {
  const body = `${stringifyJson(statusBody(status))}\n`;
  return {
    kind: 'bytes',
    status: status.code ?? 200,
    type: 'application/json',
    body,
    headers: retryHeader(status),
    outcome: status,
  };
}

/** A Status in the negotiated format. */
export function answerStatusAs(
  code: number,
  status: Status,
  output: Output,
  headers?: AnswerHeaders,
): StatusAnswer | Promise<StatusAnswer> {
  if (output.mediaType === protobuf) {
    const body = wrapProtobuf('v1', 'Status', encodeStatus(status));
    return { kind: 'bytes', status: code, type: protobuf, body, headers, outcome: status };
  }
  return answerValue(code, statusBody(status), output, headers).then((answer) => ({ ...answer, outcome: status }));
}

export function answerError(error: StatusError, request: ApiRequest): Answer | Promise<Answer> {
  const { status } = error;
  const output = negotiateFailure(request);
  if (output.mediaType === 'application/json' && !output.pretty) return answerStatus(status);
  return answerStatusAs(status.code ?? 500, status, output, retryHeader(status));
}

function retryHeader(status: Status): AnswerHeaders | undefined {
  const retry = status.details?.retryAfterSeconds;
  return retry ? { 'retry-after': String(retry) } : undefined;
}

export function answerText(status: number, body: string, headers?: AnswerHeaders): BytesAnswer {
  return { kind: 'bytes', status, type: 'text/plain; charset=utf-8', body, headers };
}
