import { type FieldPath, type JsonObject, numberIn, objectsIn, textIn } from '@tsukube/machinery';
import { containerFields } from './defaults.ts';

interface Port {
  readonly at: FieldPath;
  readonly name: string;
  readonly key: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

/** Ports of different containers that get into each other's way. */
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
