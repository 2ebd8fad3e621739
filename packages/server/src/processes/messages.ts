import type { AddressInfo } from 'node:net';
import type { ServeOptions } from '../config/index.ts';
import type { MetricsPage, ProcessAnswers } from './process-group.ts';
import type { Dialogue } from './questions.ts';

/** The first message to a process of `--workers`. */
export interface WorkerStart {
  readonly type: 'start';
  readonly index: number;
  readonly options: ServeOptions;
  /** The port that process 0 listens on. */
  readonly address: AddressInfo;
}

/** A `connection` comes with a socket. */
export type ToWorker = WorkerStart | { readonly type: 'connection' } | { readonly type: 'stop' } | Dialogue;

/** `closed` is the number of connections that were closed since the last message. */
export type ToWriter =
  | { readonly type: 'ready' }
  | { readonly type: 'closed'; readonly count: number }
  | { readonly type: 'draining' }
  | Dialogue;

/** The file descriptor of the pipe for writes, in a process of `--workers`. */
export const storePipe = 4;

/** Subjects of questions. */
export const subjects = {
  alive: 'alive',
  own: (page: MetricsPage) => `own ${page}`,
  all: (page: MetricsPage) => `all ${page}`,
  hook: (name: string) => `hook ${name}`,
} as const;

const pages: readonly MetricsPage[] = ['metrics', 'slis'];

/** Answers a question about this process; undefined if it is not about this process alone. */
export async function answerAbout(subject: string, answers: ProcessAnswers | undefined): Promise<string | undefined> {
  if (subject === subjects.alive) return '';
  const page = pages.find((each) => subject === subjects.own(each));
  if (page) return (await answers?.scrape(page)) ?? '';
  const hook = /^hook (.+)$/.exec(subject)?.[1];
  if (hook === undefined) return undefined;
  if (!answers) throw new Error('the server is starting');
  await answers.checkHook(hook);
  return '';
}
