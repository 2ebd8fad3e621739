import { readFileSync } from 'node:fs';

/** The path is valid from the sources and from the bundle. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
