import { type MessagePort, receiveMessageOnPort, type TransferListItem } from 'node:worker_threads';
import { type Status, StatusError } from '@tsukube/machinery';
import {
  Cancelled,
  Compacted,
  CorruptValue,
  EncryptionFailed,
  FutureRevision,
  KeyExists,
  Mismatch,
  NoSpace,
  RequestTooLarge,
  Unavailable,
  UnreadableValue,
} from '@tsukube/storage';
import { ClientGone } from '@tsukube/transport';

/** Functions called across threads. Arguments and results are cloned; bytes are transferred. */
// biome-ignore lint/suspicious/noExplicitAny: any function fits.
export type Calls<C> = { readonly [K in keyof C]: (...args: any[]) => unknown };

/** The thread that owns the caches and the store. */
export interface MainThread<C extends Calls<C>> {
  call<K extends keyof C & string>(name: K, ...args: Parameters<C[K]>): Promise<Awaited<ReturnType<C[K]>>>;
  /** Blocks this thread until the result arrives. For synchronous reads. */
  callNow<K extends keyof C & string>(name: K, ...args: Parameters<C[K]>): Awaited<ReturnType<C[K]>>;
}

interface CallMessage {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

type ResultMessage = { readonly id: number } & ({ readonly result: unknown } | { readonly error: ErrorMessage });

/** The ports between a worker and the main thread. `settled` counts the results on `blocking`. */
export interface CallPorts {
  readonly calls: MessagePort;
  readonly blocking: MessagePort;
  readonly settled: Int32Array;
}

/** The main thread answers within milliseconds, unless it is stopping. */
const blockingLimitMs = 30_000;

/** The worker's side. */
export function mainThreadBehind<C extends Calls<C>>({ calls, blocking, settled }: CallPorts): MainThread<C> {
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let last = 0;
  calls.on('message', (message: ResultMessage) => {
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) caller?.reject(errorOf(message.error));
    else caller?.resolve(message.result as never);
  });
  return {
    call(name, ...args) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send(calls, { id, name, args });
      });
    },
    callNow(name, ...args) {
      const id = ++last;
      const seen = Atomics.load(settled, 0);
      send(blocking, { id, name, args });
      const result = resultOf(id, blocking, settled, seen);
      if ('error' in result) throw errorOf(result.error);
      return result.result as never;
    },
  };
}

function resultOf(id: number, port: MessagePort, settled: Int32Array, before: number): ResultMessage {
  for (let seen = before; ; ) {
    const received = receiveMessageOnPort(port) as { readonly message: ResultMessage } | undefined;
    if (received?.message.id === id) return received.message;
    if (received) continue;
    if (Atomics.wait(settled, 0, seen, blockingLimitMs) === 'timed-out')
      throw new Unavailable('the main thread does not answer', { unwritten: true });
    seen = Atomics.load(settled, 0);
  }
}

/** The main thread's side: serves calls of a worker until the ports are closed. */
export function answerCalls<C extends Calls<C>>(ports: CallPorts, functions: C): void {
  const answer = async ({ id, name, args }: CallMessage): Promise<ResultMessage> => {
    try {
      return { id, result: await functions[name as keyof C](...args) };
    } catch (error) {
      return { id, error: errorMessage(error) };
    }
  };
  ports.calls.on('message', (message: CallMessage) => {
    void answer(message).then((result) => send(ports.calls, result));
  });
  ports.blocking.on('message', (message: CallMessage) => {
    void answer(message).then((result) => {
      send(ports.blocking, result);
      Atomics.add(ports.settled, 0, 1);
      Atomics.notify(ports.settled, 0);
    });
  });
}

function send(port: MessagePort, message: CallMessage | ResultMessage): void {
  port.postMessage(message, buffersIn(message));
}

/** Copies bytes into memory of their own, which can be transferred. */
export function ownedBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

const deepest = 6;

/** The transfer list of a message: all bytes in it, which were copied by `ownedBytes`. */
export function buffersIn(value: unknown, depth = 0): TransferListItem[] {
  if (value === null || typeof value !== 'object' || depth > deepest) return [];
  if (value instanceof Uint8Array) return value.byteLength === 0 ? [] : [value.buffer as ArrayBuffer];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap((member) => buffersIn(member, depth + 1));
}

/** An error as sent between threads. Errors that are caught by class keep their class. */
export type ErrorMessage =
  | { readonly is: 'StatusError'; readonly status: Status }
  | { readonly is: 'KeyExists'; readonly key: string }
  | { readonly is: 'CorruptValue'; readonly key: string; readonly revision: number; readonly problem: string }
  | { readonly is: 'Mismatch'; readonly key: string; readonly exists: boolean; readonly revision: number }
  | { readonly is: 'UnreadableValue'; readonly key: string; readonly revision: number; readonly reason: string }
  | { readonly is: 'EncryptionFailed'; readonly key: string; readonly reason: string }
  | { readonly is: 'Unavailable'; readonly message: string; readonly unwritten: boolean }
  | { readonly is: 'Compacted' | 'FutureRevision'; readonly revision: number }
  | { readonly is: 'Cancelled' | 'NoSpace' | 'RequestTooLarge' | 'ClientGone' }
  | { readonly is: 'other'; readonly message: string; readonly stack: string | undefined };

export function errorMessage(error: unknown): ErrorMessage {
  if (error instanceof StatusError) return { is: 'StatusError', status: error.status };
  if (error instanceof KeyExists) return { is: 'KeyExists', key: error.key };
  if (error instanceof CorruptValue)
    return { is: 'CorruptValue', key: error.key, revision: error.revision, problem: error.problem };
  if (error instanceof Mismatch)
    return {
      is: 'Mismatch',
      key: error.key,
      exists: error.current !== undefined,
      revision: error.current?.revision ?? 0,
    };
  if (error instanceof UnreadableValue) return { is: error.name, key: error.key, revision: error.revision, reason: error.reason };
  if (error instanceof EncryptionFailed) return { is: error.name, key: error.key, reason: error.reason };
  if (error instanceof NoSpace) return { is: 'NoSpace' };
  if (error instanceof Unavailable) return { is: 'Unavailable', message: error.message, unwritten: error.unwritten };
  if (error instanceof Compacted) return { is: 'Compacted', revision: error.oldest };
  if (error instanceof FutureRevision) return { is: 'FutureRevision', revision: error.current };
  if (error instanceof Cancelled || error instanceof RequestTooLarge || error instanceof ClientGone) return { is: error.name };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { is: 'other', message, stack };
}

const emptyValue = new Uint8Array();

export function errorOf(message: ErrorMessage): Error {
  switch (message.is) {
    case 'StatusError':
      return new StatusError(message.status);
    case 'KeyExists':
      return new KeyExists(message.key);
    case 'CorruptValue':
      return new CorruptValue(message.key, message.revision, message.problem);
    case 'Mismatch': {
      const { key, exists, revision } = message;
      // Handlers only check whether there is a value, and read it again.
      return new Mismatch(key, exists ? { key, value: emptyValue, revision, created: revision } : undefined);
    }
    case 'UnreadableValue':
      return new UnreadableValue(message.key, message.revision, new Error(message.reason));
    case 'EncryptionFailed':
      return new EncryptionFailed(message.key, new Error(message.reason));
    case 'Unavailable':
      return new Unavailable(message.message, { unwritten: message.unwritten });
    case 'Compacted':
      return new Compacted(message.revision);
    case 'FutureRevision':
      return new FutureRevision(message.revision);
    case 'Cancelled':
      return new Cancelled();
    case 'NoSpace':
      return new NoSpace();
    case 'RequestTooLarge':
      return new RequestTooLarge();
    case 'ClientGone':
      return new ClientGone();
    case 'other':
      return Object.assign(new Error(message.message), { stack: message.stack });
  }
}
