export interface Flushable {
  flush(): void;
}

let waiting: Flushable[] = [];

/** Everything that is to be sent because of what this turn of the event loop brought is sent at its end, in one go. */
export function flushSoon(one: Flushable): void {
  if (waiting.length === 0) setImmediate(flushAll);
  waiting.push(one);
}

function flushAll(): void {
  const now = waiting;
  waiting = [];
  for (const one of now) one.flush();
}
