import type { JsonObject } from '@tsukube/machinery';
import { trimRight } from '@tsukube/machinery';
import { objectIn, objectsIn, textIn } from './members.ts';

interface PathOf {
  readonly path: string;
  readonly source: string;
}

const kinds = ['configMap', 'secret', 'downwardAPI', 'projected'];

/** Files of one volume that hide each other. */
export function overlapWarnings(volumes: readonly JsonObject[]): readonly string[] {
  return volumes.flatMap((volume) => {
    if (!kinds.some((kind) => volume[kind] !== undefined)) return [];
    const name = JSON.stringify(textIn(volume, 'name'));
    const of = (title: string, paths: readonly PathOf[]) =>
      overlaps(paths).map((text) => `volume ${name} (${title}): overlapping paths: ${text}`);
    const projected = objectIn(volume, 'projected');
    const empty = objectsIn(projected, 'sources').filter((source) => Object.keys(source).length === 0);
    return [
      ...of(titleOf('ConfigMap', objectIn(volume, 'configMap'), 'name'), pathsIn(objectIn(volume, 'configMap'), '')),
      ...of(titleOf('Secret', objectIn(volume, 'secret'), 'secretName'), pathsIn(objectIn(volume, 'secret'), '')),
      ...of('DownwardAPI', pathsIn(objectIn(volume, 'downwardAPI'), '')),
      ...empty.map(() => `volume ${name} (Projected) has no sources provided`),
      ...of('Projected', objectsIn(projected, 'sources').flatMap(projectedPaths)),
    ];
  });
}

function titleOf(kind: string, source: JsonObject | undefined, field: string): string {
  return `${kind} ${JSON.stringify(textIn(source, field))}`;
}

function pathsIn(source: JsonObject | undefined, title: string): readonly PathOf[] {
  return objectsIn(source, 'items').map((item) => ({ path: trimRight(textIn(item, 'path'), '/'), source: title }));
}

function projectedPaths(source: JsonObject): readonly PathOf[] {
  const token = objectIn(source, 'serviceAccountToken');
  if (token) return [{ path: trimRight(textIn(token, 'path'), '/'), source: 'ServiceAccountToken' }];
  const [configMap, secret] = [objectIn(source, 'configMap'), objectIn(source, 'secret')];
  if (configMap) return pathsIn(configMap, titleOf('ConfigMap', configMap, 'name'));
  if (secret) return pathsIn(secret, titleOf('Secret', secret, 'name'));
  return pathsIn(objectIn(source, 'downwardAPI'), 'DownwardAPI');
}

function overlaps(paths: readonly PathOf[]): readonly string[] {
  return paths.flatMap((path, i) =>
    paths.slice(0, i).flatMap((other) => (collide(path.path, other.path) ? [`${shown(path)} with ${shown(other)}`] : [])),
  );
}

function collide(a: string, b: string): boolean {
  return a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`));
}

function shown({ path, source }: PathOf): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
