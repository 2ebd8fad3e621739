export interface Flushable {
  flush(): void;
}

/** Writing may take this long before the event loop looks at its sockets again. */
const sliceMs = 1.5;

let waiting: Flushable[] = [];
let isScheduled = false;
/** Of the writes that go on as soon as the network has taken what went before. */
let slice: { readonly began: number } | undefined;

/** Everything that is to be sent because of what this turn of the event loop brought is sent at its end, in one go. */
export function flushSoon(one: Flushable): void {
  waiting.push(one);
  schedule();
}

/** For one that has more to send: now, unless this turn of the event loop has spent its time on others like it. */
export function flushOn(one: Flushable): void {
  if (!slice) {
    slice = { began: performance.now() };
    setImmediate(endSlice);
  } else if (performance.now() - slice.began > sliceMs) return void flushSoon(one);
  one.flush();
}

function endSlice(): void {
  slice = undefined;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(flushAll);
}

function flushAll(): void {
  isScheduled = false;
  const turn = waiting;
  waiting = [];
  const began = performance.now();
  let flushed = 0;
  do (turn[flushed++] as Flushable).flush();
  while (flushed < turn.length && performance.now() - began < sliceMs);
  if (flushed === turn.length) return;
  waiting = [...turn.slice(flushed), ...waiting];
  schedule();
}
