/** The body is longer than the limit. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
  }
}

/** There is no room for the body at this time. */
export class NoRoomForBody extends Error {
  override readonly name = 'NoRoomForBody';
  constructor() {
    super('there is no room for the body');
  }
}

/** Asked for room for bytes of a body as they arrive. False if there is none: the body is then not read further. */
export type AdmitBytes = (bytes: number) => boolean;

/** The client went away in the middle of its request. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}
