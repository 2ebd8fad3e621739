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
import { ClientGone } from '../http/body.ts';

/** An error as it crosses from one thread to another: those that somebody catches by class keep their class. */
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

const nothing = new Uint8Array();

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
      // Whoever catches it looks at whether there is a value, and reads it again.
      return new Mismatch(key, exists ? { key, value: nothing, revision, created: revision } : undefined);
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
