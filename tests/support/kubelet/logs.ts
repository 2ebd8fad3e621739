import type { IncomingMessage, ServerResponse } from 'node:http';

export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

/** The log of a container: lines so far, and listeners for more. */
export class ContainerLog {
  readonly #lines: LogLine[];
  readonly #listeners = new Set<(line: LogLine) => void>();

  constructor(lines: readonly LogLine[] = []) {
    this.#lines = [...lines];
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get followers(): number {
    return this.#listeners.size;
  }

  append(text: string, at = Date.now()): void {
    const line = { at, text };
    this.#lines.push(line);
    for (const listener of this.#listeners) listener(line);
  }

  follow(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Answers a request for logs with the options of its query. */
export function serveLog(log: ContainerLog, query: URLSearchParams, request: IncomingMessage, response: ServerResponse): void {
  const write = (line: LogLine) =>
    response.write(`${query.has('timestamps') ? `${new Date(line.at).toISOString()} ` : ''}${line.text}\n`);
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();
  const bytes = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY);
  if (Number.isFinite(bytes)) return void response.end(textOf(selected(log.lines, query)).slice(0, bytes));
  for (const line of selected(log.lines, query)) write(line);
  if (!query.has('follow')) return void response.end();
  const stop = log.follow(write);
  request.once('close', stop);
  response.once('close', stop);
}

const textOf = (lines: readonly LogLine[]): string => lines.map(({ text }) => `${text}\n`).join('');

function selected(lines: readonly LogLine[], query: URLSearchParams): readonly LogLine[] {
  const seconds = query.get('sinceSeconds');
  const time = query.get('sinceTime');
  const since = seconds ? Date.now() - Number(seconds) * 1000 : time ? Date.parse(time) : 0;
  const recent = lines.filter(({ at }) => at >= since);
  const tail = query.get('tailLines');
  return tail === null ? recent : tail === '0' ? [] : recent.slice(-Number(tail));
}
