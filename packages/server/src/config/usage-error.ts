/** The command was called wrongly: the message is one line for the person who typed it, the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
