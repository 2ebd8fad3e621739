/** A new random identity for an object: a version 4 UUID. */
export function newUid(): string {
  return crypto.randomUUID();
}
