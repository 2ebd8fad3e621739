import type { ServedVersion } from '@tsukube/apiserver';
import { goValueText, type JsonObject } from '@tsukube/machinery';
import { findAll, PathMismatch } from '../json-path/find.ts';
import { parsePath } from '../json-path/parse.ts';

/** The fields that selectors may name besides those of metadata. */
export function selectableFieldsOf(jsonPaths: readonly string[]): ServedVersion['selectableFields'] {
  if (jsonPaths.length === 0) return undefined;
  return Object.fromEntries(jsonPaths.map((jsonPath) => [jsonPath.replace(/^\./, ''), reader(jsonPath)]));
}

function reader(jsonPath: string): (object: JsonObject) => string {
  const steps = parsePath(jsonPath);
  return (object) => {
    try {
      const [value] = findAll(object, steps);
      return value === undefined || value === null ? '' : goValueText(value);
    } catch (error) {
      if (error instanceof PathMismatch) return '';
      throw error;
    }
  };
}
