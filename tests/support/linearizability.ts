/**
 * A call of a client on one object. States are strings. A call without `returned` has no known outcome: it may take effect at any
 * time after `called`, or never.
 */
export interface Operation {
  readonly called: number;
  readonly returned: number | undefined;
  /** The state after the call took effect in a state; undefined if it cannot have done so with its outcome. */
  apply(state: string): string | undefined;
  readonly text: string;
}

export interface Verdict {
  readonly isLinearizable: boolean;
  /** If not: the call that fits nowhere, the state before it in the longest order found, and that order. */
  readonly stuckAt?: Operation;
  readonly state?: string;
  readonly order?: readonly Operation[];
}

/** A call or a return, in a list ordered by time. */
interface Moment {
  readonly operation: Operation;
  readonly index: number;
  readonly time: number;
  /** The return of a call; undefined for a return, and for a call of unknown outcome. */
  match: Moment | undefined;
  readonly isReturn: boolean;
  previous: Moment;
  next: Moment | undefined;
}

/** A call that was taken, and the search before it. */
interface Taken {
  readonly moment: Moment;
  readonly before: string;
  readonly after: string;
  readonly fingerprint: readonly [number, number];
}

/**
 * Whether the calls could have taken effect one after the other, each between its call and its return. The search of Wing and
 * Gong with the cache of Lowe, as in Porcupine: calls are taken in the order of time, and a return whose call was not taken
 * makes the search go back. Pairs of taken calls and state that were tried before are not tried again.
 */
export function checkLinearizability(history: readonly Operation[], initial = ''): Verdict {
  const head = momentsOf(history);
  const tried = new Set<string>();
  const taken: Taken[] = [];
  let state = initial;
  let fingerprint: readonly [number, number] = [0, 0];
  let longest: Verdict | undefined;
  let moment = head.next;
  while (moment) {
    const at: Moment = moment;
    if (!at.isReturn) {
      const next = at.operation.apply(state);
      const marked: [number, number] = [fingerprint[0] ^ hash(at.index, 1), fingerprint[1] ^ hash(at.index, 2)];
      const key = `${marked[0]} ${marked[1]} ${next}`;
      if (next === undefined || tried.has(key)) moment = at.next;
      else {
        tried.add(key);
        taken.push({ moment: at, before: state, after: next, fingerprint });
        [state, fingerprint] = [next, marked];
        lift(at);
        moment = head.next;
      }
      continue;
    }
    if (taken.length > (longest?.order?.length ?? -1))
      longest = { isLinearizable: false, stuckAt: at.operation, state, order: taken.map((each) => each.moment.operation) };
    // A call that leaves the state as it is could only be taken later instead, which changes nothing: go back further.
    let last = taken.pop();
    for (; last && last.before === last.after; last = taken.pop()) unlift(last.moment);
    if (!last) return longest as Verdict;
    unlift(last.moment);
    [state, fingerprint] = [last.before, last.fingerprint];
    moment = last.moment.next;
  }
  return { isLinearizable: true };
}

function momentsOf(history: readonly Operation[]): Moment {
  const moments: Moment[] = [];
  for (const [index, operation] of history.entries()) {
    const unlinked = { operation, index, previous: undefined as unknown as Moment, next: undefined };
    const match: Moment | undefined =
      operation.returned === undefined ? undefined : { ...unlinked, time: operation.returned, match: undefined, isReturn: true };
    moments.push({ ...unlinked, time: operation.called, match, isReturn: false });
    if (match) moments.push(match);
  }
  // Calls before returns of the same time: such calls are concurrent.
  moments.sort((a, b) => a.time - b.time || Number(a.isReturn) - Number(b.isReturn));
  const head = { index: -1, time: Number.NEGATIVE_INFINITY, isReturn: false } as unknown as Moment;
  let last = head;
  for (const moment of moments) {
    last.next = moment;
    moment.previous = last;
    last = moment;
  }
  return head;
}

function lift(call: Moment): void {
  unlink(call);
  if (call.match) unlink(call.match);
}

/** In the opposite order of `lift`. */
function unlift(call: Moment): void {
  if (call.match) relink(call.match);
  relink(call);
}

function unlink(moment: Moment): void {
  moment.previous.next = moment.next;
  if (moment.next) moment.next.previous = moment.previous;
}

function relink(moment: Moment): void {
  moment.previous.next = moment;
  if (moment.next) moment.next.previous = moment;
}

/** A set of calls is identified by the exclusive or of the hashes of its members: 64 bits. */
function hash(index: number, salt: number): number {
  let mixed = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}
