import type { JsonObject } from '@tsukube/machinery';

/** Converts between the versions of a definition. */
export interface VersionConverter {
  /** Returns the objects in order; those already in the version are returned as they are. Rejects with a StatusError. */
  convert(objects: readonly JsonObject[], version: string): Promise<readonly JsonObject[]>;
  close(): void;
}

export function versionOf({ apiVersion }: JsonObject): string {
  const text = String(apiVersion);
  return text.slice(text.lastIndexOf('/') + 1);
}
