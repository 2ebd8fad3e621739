import type { ExchangeHandler, ServedExchange } from './exchange.ts';

export interface ExchangeHandlerOptions {
  readonly handle: ExchangeHandler;
  /** Errors that the handler did not turn into an answer. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Hands a request to the handler and its answer back to the protocol. An error here costs this request only. */
export function handleExchange(options: ExchangeHandlerOptions, exchange: ServedExchange): void {
  try {
    const answer = options.handle(exchange);
    if (answer instanceof Promise)
      answer.then((later) => exchange.respond(later, true)).catch((error) => fail(options, exchange, error));
    else exchange.respond(answer, false);
  } catch (error) {
    fail(options, exchange, error);
  }
}

function fail({ onError }: ExchangeHandlerOptions, exchange: ServedExchange, error: unknown): void {
  onError?.(error);
  exchange.fail();
}
