/** What is no request that could be answered: the connection ends with this status, said in plain text. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  constructor(status: number, reason?: string) {
    super(reason ?? '');
    this.status = status;
  }
}

export const badRequest = (reason?: string): Refused => new Refused(400, reason);
