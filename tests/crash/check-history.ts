import type { Observed } from './resuming-watch.ts';
import type { Write, WriteLog } from './write-log.ts';

const kindsOf = { ADDED: ['create'], MODIFIED: ['update', 'patch'], DELETED: ['delete'] };

/**
 * The problems of an event history, compared with the requested writes. All events are compared in one pass: an expectation
 * per event would take longer than the test itself.
 */
export function problemsOf(events: readonly Observed[], log: WriteLog): string[] {
  return [...eventProblems(events, log), ...lifecycleProblems(events), ...writeProblems(events, log)];
}

/** Each event corresponds to exactly one requested write, with its complete content. */
function* eventProblems(events: readonly Observed[], log: WriteLog): Generator<string> {
  const seen = new Set<string>();
  for (const event of events) {
    const { type, version, write: id } = event;
    const write = id === undefined ? undefined : log.writes.get(id);
    if (!write) yield `the object of ${describe(event)} is not whole`;
    else if (type !== 'DELETED') {
      if (seen.has(write.id)) yield `${write.id} was made twice, again by ${describe(event)}`;
      if (write.outcome.is === 'refused') yield `${write.id} was refused and made by ${describe(event)}`;
      if (write.name !== event.name || !kindsOf[type].includes(write.kind)) yield `${write.id} is not ${describe(event)}`;
      if (version <= write.after) yield `${write.id} was sent after ${write.after} and made at ${version}`;
      seen.add(write.id);
    }
  }
}

/** An object is added, modified without gaps, and deleted; the next object of the same name has another uid. */
function* lifecycleProblems(events: readonly Observed[]): Generator<string> {
  const alive = new Map<string, Observed>();
  const uids = new Set<string>();
  for (const event of events) {
    const before = alive.get(event.name);
    if (event.type === 'ADDED') {
      if (before || uids.has(event.uid)) yield `${describe(event)} was there before`;
      uids.add(event.uid);
    } else if (before?.uid !== event.uid) yield `${describe(event)} follows no such object`;
    else if (event.count !== before.count + (event.type === 'MODIFIED' ? 1 : 0))
      yield `${describe(event)} skips from ${before.count} to ${event.count}`;
    if (event.type === 'DELETED') alive.delete(event.name);
    else alive.set(event.name, event);
  }
}

/** Every acknowledged write has its event, and every deletion was requested. */
function* writeProblems(events: readonly Observed[], log: WriteLog): Generator<string> {
  const made = new Map(events.filter(({ type }) => type !== 'DELETED').map((event) => [event.write, event]));
  const removed = new Map(events.filter(({ type }) => type === 'DELETED').map((event) => [event.uid, event]));
  const asked = new Set<string>();
  for (const write of log.writes.values()) {
    if (write.kind === 'delete') asked.add(write.uid as string);
    if (write.outcome.is === 'acknowledged' && !tookPlace(write, made, removed))
      yield `${JSON.stringify(write)} did not take place`;
  }
  for (const event of removed.values()) if (!asked.has(event.uid)) yield `not requested: ${describe(event)}`;
}

function tookPlace(
  { id, kind, outcome }: Write,
  made: ReadonlyMap<string | undefined, Observed>,
  removed: ReadonlyMap<string, Observed>,
): boolean {
  if (outcome.is !== 'acknowledged') return false;
  if (kind === 'delete') return removed.has(outcome.uid);
  const event = made.get(id);
  return event?.uid === outcome.uid && event.version === outcome.version;
}

/** The objects that exist after all events, by name. */
export function stateAfter(events: readonly Observed[]): Map<string, Observed> {
  const state = new Map<string, Observed>();
  for (const event of events) {
    if (event.type === 'DELETED') state.delete(event.name);
    else state.set(event.name, { ...event, type: 'ADDED' });
  }
  return state;
}

function describe({ type, name, uid, version }: Observed): string {
  return `${type} ${name} (${uid}) at ${version}`;
}
