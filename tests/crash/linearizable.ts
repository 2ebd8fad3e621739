import { checkLinearizability, type Operation } from '../support/linearizability.ts';
import type { Read, Write, WriteLog } from './write-log.ts';

/** The objects whose reads and writes cannot have taken effect one after the other, with the call that fits nowhere. */
export function orderProblems(log: WriteLog): string[] {
  const histories = new Map<string, Operation[]>();
  const add = (name: string, operation: Operation | undefined) => {
    if (!operation) return;
    const history = histories.get(name) ?? [];
    history.push(operation);
    histories.set(name, history);
  };
  for (const write of log.writes.values()) add(write.name, operationOf(write));
  for (const read of log.reads) add(read.name, readOf(read));
  return [...histories].flatMap(([name, history]) => {
    const { isLinearizable, stuckAt, state, order } = checkLinearizability(history);
    return isLinearizable ? [] : [`${name}: ${stuckAt?.text} does not follow ${state} after ${order?.length} calls`];
  });
}

function readOf({ name, write, called, returned }: Read): Operation {
  const text = `a read of ${write || 'nothing'} (${name}, ${span(called, returned)})`;
  return { called, returned, apply: (state) => (state === write ? state : undefined), text };
}

/** A write that was rejected for a reason other than the state reveals nothing about the state. */
function operationOf(write: Write): Operation | undefined {
  const { id, kind, name, called, outcome } = write;
  if (outcome.is === 'refused' && !outcome.isConflict) return undefined;
  const returned = outcome.is === 'unknown' ? undefined : write.returned;
  const text = `${kind} ${id} (${name}, ${outcome.is}, ${span(called, returned)})`;
  const isPossible = (state: string) =>
    state === (kind === 'create' ? '' : (write.base ?? state)) && (kind === 'create' || state !== '');
  const apply = (state: string) => {
    if (outcome.is === 'refused') return isPossible(state) ? undefined : state;
    if (!isPossible(state)) return undefined;
    return kind === 'delete' ? '' : id;
  };
  return { called, returned, apply, text };
}

function span(called: number, returned: number | undefined): string {
  return `${called.toFixed(1)} to ${returned?.toFixed(1) ?? '?'} ms`;
}
