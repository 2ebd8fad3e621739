import type { Http2Exchange } from './exchange.ts';

/** As long as something comes in each of these steps, the client is let speak, but not for longer than all of them. */
const stepMs = 100;
const maxSteps = 50;
const maxBytes = 64 << 20;

/**
 * Hears out a client that has its answer and still sends a body: many listen only when they have said everything. Gives
 * up on one that pauses, goes on for too long, or never meant to say more.
 */
export function hearOut(exchange: Http2Exchange, giveUp: () => void): void {
  exchange.incoming?.discard();
  let before = -1;
  let steps = 0;
  const step = () => {
    if (exchange.isClosed) return;
    const length = exchange.incoming?.length ?? 0;
    if (length === before || ++steps > maxSteps || length > maxBytes) return void giveUp();
    before = length;
    setTimeout(step, stepMs);
  };
  step();
}
