import { type JsonObject, objectIn, objectsIn, textIn, trimRight } from '@tsukube/machinery';

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

/** Far more than fit into the Warning headers of an answer. */
const maxOverlaps = 1_000;

interface Placed extends PathOf {
  readonly position: number;
  /** The path with a slash at its end, so that those below it begin with it. */
  readonly folder: string;
}

type Pair = readonly [later: Placed, earlier: Placed];

/** Pairs of which one path is the other or a folder above it. In sorted order a folder stands right before all that is in it. */
function overlaps(paths: readonly PathOf[]): readonly string[] {
  const placed = paths.map((path, position) => ({ ...path, position, folder: `${path.path}/` }));
  const sorted = placed.filter(({ path }) => path !== '').sort((a, b) => (a.folder < b.folder ? -1 : 1));
  const pairs: Pair[] = [];
  const above: Placed[] = [];
  for (const each of sorted) {
    while (above.length > 0 && !each.folder.startsWith(above.at(-1)?.folder ?? '')) above.pop();
    for (const other of above) pairs.push(each.position > other.position ? [each, other] : [other, each]);
    if (pairs.length >= maxOverlaps) break;
    above.push(each);
  }
  return pairs
    .sort(byPosition)
    .slice(0, maxOverlaps)
    .map(([later, earlier]) => `${shown(later)} with ${shown(earlier)}`);
}

function byPosition([a, b]: Pair, [c, d]: Pair): number {
  return a.position - c.position || b.position - d.position;
}

function shown({ path, source }: PathOf): string {
  return source === '' ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
