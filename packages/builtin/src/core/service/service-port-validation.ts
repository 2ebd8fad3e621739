import {
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  numberIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { isPortNumber, report, requireOneOf, validateDNSLabel, validatePort } from '../../common/field-validation.ts';

const portsPath = path('spec', 'ports');
export const protocols = ['SCTP', 'TCP', 'UDP'];

export function validateServicePorts(spec: JsonObject, errors: FieldErrors): void {
  const ports = objectsIn(spec, 'ports');
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) validateServicePort(port, ports.length > 1, names, portsPath.index(i), errors);
}

function validateServicePort(port: JsonObject, named: boolean, names: Set<string>, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(port, 'name');
  if (name !== '') {
    validateDNSLabel(name, at.child('name'), errors);
    if (names.has(name)) errors.duplicate(at.child('name'), name);
    names.add(name);
  } else if (named) errors.required(at.child('name'));
  report(isPortNumber(numberIn(port, 'port')), at.child('port'), numberIn(port, 'port'), errors);
  requireOneOf(textIn(port, 'protocol'), protocols, at.child('protocol'), errors);
  validatePort(port.targetPort, at.child('targetPort'), errors);
  const { appProtocol } = port;
  if (typeof appProtocol === 'string') report(isQualifiedName(appProtocol), at.child('appProtocol'), appProtocol, errors);
}

/** Rejects duplicate ports and node ports of a protocol. */
export function validateDuplicatePorts(spec: JsonObject, errors: FieldErrors): void {
  const ports = objectsIn(spec, 'ports');
  if (spec.type === 'ClusterIP') {
    for (const [i, port] of ports.entries())
      if (numberIn(port, 'nodePort') !== 0)
        errors.forbidden(portsPath.index(i).child('nodePort'), "may not be used when `type` is 'ClusterIP'");
  }
  for (const [i, port] of repeated(ports, 'nodePort')) {
    if (numberIn(port, 'nodePort') !== 0) errors.duplicate(portsPath.index(i).child('nodePort'), port.nodePort);
  }
  for (const [i, port] of repeated(ports, 'port')) errors.duplicate(portsPath.index(i), internalServicePort(port));
}

/** Index and port of each entry whose protocol and number occur earlier in the list. */
function repeated(ports: readonly JsonObject[], field: string): (readonly [number, JsonObject])[] {
  const seen = new Set<string>();
  return [...ports.entries()].filter(([, port]) => {
    const key = `${textIn(port, 'protocol')}/${numberIn(port, field)}`;
    return seen.has(key) || !seen.add(key);
  });
}

/** The error prints an internal ServicePort that has only the compared fields set. */
function internalServicePort(port: JsonObject): JsonObject {
  const { protocol = '', port: number = 0 } = port;
  return { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
}
