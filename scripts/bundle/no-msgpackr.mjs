/** Replaces lmdb's default encoding in the bundle: our tables have their own. */
export class Encoder {
  constructor() {
    throw new Error('the table has no encoding of its own');
  }
}
