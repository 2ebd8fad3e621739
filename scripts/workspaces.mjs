import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/** The workspaces by their paths from the root: libraries in `packages`, systems built with them in `apps`. */
export function workspaces() {
  return ['packages', 'apps'].flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name)));
}
