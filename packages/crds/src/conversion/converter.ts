import type { JsonObject } from '@tsukube/machinery';

/** Between the versions of a definition. Gives new objects, or the same where there is nothing to do; in the same order. */
export interface VersionConverter {
  /** To a version by its name, all objects at once. Fails with a StatusError. */
  convert(objects: readonly JsonObject[], version: string): Promise<readonly JsonObject[]>;
  close(): void;
}

export function versionOf({ apiVersion }: JsonObject): string {
  const text = String(apiVersion);
  return text.slice(text.lastIndexOf('/') + 1);
}
