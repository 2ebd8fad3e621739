/** The body is longer than the limit. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
  }
}

/** The client went away in the middle of its request. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}
