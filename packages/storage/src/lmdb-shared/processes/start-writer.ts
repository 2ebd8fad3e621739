import { type ChildProcess, fork } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { bundleStore } from '../../lmdb/processes/bundle.mjs';

/** A process that writes the databases which tests read. */
export interface WriterProcess {
  readonly process: ChildProcess;
  call(call: string, path: string, more?: object): Promise<unknown>;
}

export async function startWriter(): Promise<WriterProcess> {
  const script = fileURLToPath(new URL('./writer.mjs', import.meta.url));
  const child = fork(script, [await bundleStore('lmdb'), await bundleStore('lmdb-shared')], { execArgv: [] });
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let lastId = 0;
  const answer = (id: number) => new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
  const ready = answer(0);
  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the writing process has ended'));
  });
  await ready;
  return {
    process: child,
    call(call, path, more = {}) {
      const id = ++lastId;
      const result = answer(id);
      child.send({ id, call, path, ...more });
      return result;
    },
  };
}

export function connectTo(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(`${path}.socket`, () => resolve(socket)).once('error', reject);
  });
}
