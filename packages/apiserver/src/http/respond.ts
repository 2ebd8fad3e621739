import {
  type JsonValue,
  parseJson,
  type Status,
  type StatusError,
  statusBody,
  stringifyJson,
  stringifyYaml,
} from '@tsukube/machinery';
import type { Answer, BytesAnswer, Headers } from './answer.ts';
import { type Output, protobuf } from './negotiation.ts';

/** Ready bytes, of protobuf if that was asked for and of JSON otherwise, in the form that was asked for. */
export function answerBytes(
  status: number,
  body: Uint8Array,
  output: Output,
  headers?: Headers,
): BytesAnswer | Promise<BytesAnswer> {
  const { mediaType: type } = output;
  if (type === protobuf || (type === 'application/json' && !output.pretty)) return { kind: 'bytes', status, type, body, headers };
  return answerValue(status, parseJson(body).value, output, headers);
}

/** A value that has no form in protobuf is written as JSON, which every client reads. */
export async function answerValue(status: number, value: JsonValue, output: Output, headers?: Headers): Promise<BytesAnswer> {
  if (output.mediaType === 'application/yaml') {
    return { kind: 'bytes', status, type: output.mediaType, body: await stringifyYaml(value), headers };
  }
  const body = output.pretty ? prettyJson(value) : `${stringifyJson(value)}\n`;
  return { kind: 'bytes', status, type: 'application/json', body, headers };
}

/** Two spaces, and a line end: for people. Integers beyond 2^53 keep their digits. */
export function prettyJson(value: JsonValue, indent = ''): string {
  if (value === null || typeof value !== 'object') return stringifyJson(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[\n${value.map((item) => inner + prettyJson(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${prettyJson(item, inner)}`).join(',\n')}\n${indent}}`;
}

export function answerStatus(status: Status, headers?: Headers): BytesAnswer {
  const retry = status.details?.retryAfterSeconds;
  return {
    kind: 'bytes',
    status: status.code ?? 200,
    type: 'application/json',
    body: `${stringifyJson(statusBody(status))}\n`,
    headers: retry ? { ...headers, 'retry-after': String(retry) } : headers,
  };
}

export function answerError(error: StatusError): Answer {
  return answerStatus(error.status);
}

export function answerText(status: number, body: string, headers?: Headers): BytesAnswer {
  return { kind: 'bytes', status, type: 'text/plain; charset=utf-8', body, headers };
}
