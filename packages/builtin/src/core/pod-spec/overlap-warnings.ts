import { type FieldPath, type JsonObject, numberIn, objectIn, objectsIn, textIn, trimRight } from '@tsukube/machinery';
import { containerFields } from './defaults.ts';

interface PathOf {
  readonly path: string;
  readonly source: string;
}

const kinds = ['configMap', 'secret', 'downwardAPI', 'projected'];

/** Warnings for overlapping paths within a volume. */
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

/** More than fit into the Warning headers of a response. */
const maxOverlaps = 1_000;

interface Placed extends PathOf {
  readonly position: number;
  /** The path with a trailing slash, a prefix of all paths below it. */
  readonly folder: string;
}

type Pair = readonly [later: Placed, earlier: Placed];

/** Pairs of equal paths, or of a path and one below it. Sorting puts each folder right before its content. */
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

interface Port {
  readonly at: FieldPath;
  readonly name: string;
  readonly key: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** Warnings for ports that several containers use. */
export function portWarnings(spec: JsonObject, at: FieldPath): readonly string[] {
  const ports = portsOf(spec, at);
  if (ports.length === 0) return [];
  return [...conflicts(ports), ...sharedNames(ports)];
}

function portsOf(spec: JsonObject, at: FieldPath): readonly Port[] {
  return containerFields.flatMap((field) =>
    objectsIn(spec, field).flatMap((container, i) =>
      objectsIn(container, 'ports').map((port, j) => ({
        at: at.child(field).index(i).child('ports').index(j),
        name: textIn(port, 'name'),
        key: `${numberIn(port, 'containerPort')}/${textIn(port, 'protocol')}`,
        hostIP: textIn(port, 'hostIP'),
        hostPort: numberIn(port, 'hostPort'),
      })),
    ),
  );
}

function conflicts(ports: readonly Port[]): readonly string[] {
  const byKey = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const others = byKey.get(port.key) ?? [];
    byKey.set(port.key, [...others, port]);
    const found = others.flatMap((other) => {
      const kind = conflictOf(port, other);
      return kind === undefined ? [] : [`${port.at}: ${kind} port definition with ${other.at}`];
    });
    return port.hostIP !== '' && port.hostPort === 0 ? [unusedAddress(port), ...found] : found;
  });
}

function unusedAddress({ at, name, key, hostIP }: Port): string {
  const [number, protocol] = key.split('/');
  return `${at}: hostIP set without hostPort: {Name:${name} HostPort:0 ContainerPort:${number} Protocol:${protocol} HostIP:${hostIP}}`;
}

function conflictOf(port: Port, other: Port): string | undefined {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  const oneIsOpen = (port.hostIP === '') !== (other.hostIP === '');
  return port.hostPort === other.hostPort && oneIsOpen ? 'dangerously ambiguous' : undefined;
}

function sharedNames(ports: readonly Port[]): readonly string[] {
  const byName = new Map<string, Port>();
  return ports.flatMap((port) => {
    if (port.name === '') return [];
    const other = byName.get(port.name);
    if (!other) {
      byName.set(port.name, port);
      return [];
    }
    const rest = `services and probes that select ports by name will use ${other.at}`;
    return [`${port.at}: duplicate port name ${JSON.stringify(port.name)} with ${other.at}, ${rest}`];
  });
}
