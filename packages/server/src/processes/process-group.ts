/** A page of metrics. */
export type MetricsPage = 'metrics' | 'slis';

/** Answers of a process to questions of the others in its group. */
export interface ProcessAnswers {
  /** The metrics of this process alone. */
  scrape(page: MetricsPage): Promise<string>;
  /** Throws or rejects if a post-start hook of this process has not been done, or no longer works. */
  checkHook(name: string): void | Promise<void>;
}

/**
 * The processes of one server (`--workers`), as one of them sees it. Process 0 writes the database, listens on the port and runs
 * the controllers. The others read the same database and get connections and the outcome of their writes from process 0.
 */
export interface ProcessGroup {
  readonly index: number;
  readonly count: number;
  /** Answers the other processes from now on. */
  answer(answers: ProcessAnswers): void;
  /** The metrics of all processes, with the label `worker`. */
  scrapeAll(page: MetricsPage): Promise<string>;
  /** Rejects if a post-start hook of process 0 has not been done, or no longer works. */
  checkHook(name: string): Promise<void>;
}

export function isWriter(group: ProcessGroup | undefined): boolean {
  return group === undefined || group.index === 0;
}

/** `audit.log` of process 1 is `audit.worker-1.log`: processes cannot rotate one file together. */
export function ownFile(path: string, index: number): string {
  if (index === 0 || path === '-') return path;
  const dot = path.lastIndexOf('.');
  const hasExtension = dot > path.lastIndexOf('/') + 1;
  return hasExtension ? `${path.slice(0, dot)}.worker-${index}${path.slice(dot)}` : `${path}.worker-${index}`;
}
