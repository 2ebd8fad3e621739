/** The text is not JSON; the message is the one Go gives. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** How many bytes had been read. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}
