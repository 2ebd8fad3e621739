import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  FieldErrors,
  fieldIsImmutable,
  groupResourceText,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  type JsonObject,
  type KubeObject,
  objectIn,
  path,
  textIn,
  validateIPAddress,
} from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';
import { requireSegment } from './ingress.ts';

const v1: ServedVersion = {
  group: 'networking.k8s.io',
  version: 'v1',
  schema: schemaOf('networking.v1.IPAddress'),
  columns: [
    nameColumn,
    column('ParentRef', { type: 'io.k8s.api.networking.v1.IPAddressSpec', field: 'parentRef' }, parentCell),
    { name: 'Age', type: 'string', description: '', value: ageColumn.value, unannounced: true },
  ],
};

export const ipAddress: Resource = {
  names: {
    plural: 'ipaddresses',
    singular: 'ipaddress',
    kind: 'IPAddress',
    listKind: 'IPAddressList',
    shortNames: ['ip'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/ipaddresses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateName: (name) => addressProblems(name),
    validateCreate: validateParent,
    validateUpdate(object, old, errors) {
      validateParent(object, errors);
      const parent = parentOf(object);
      if (!deepEqual(parent, parentOf(old)))
        errors.invalid(path('spec', 'parentRef'), parent && internalParentRef(parent), fieldIsImmutable);
    },
  },
};

function parentOf(object: KubeObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'spec'), 'parentRef');
}

function parentCell(object: KubeObject): string {
  const parent = parentOf(object);
  if (!parent) return '<none>';
  const kind = groupResourceText({ group: textIn(parent, 'group'), resource: textIn(parent, 'resource') }).toLowerCase();
  const namespace = textIn(parent, 'namespace');
  return `${kind}${namespace === '' ? '' : `/${namespace}`}/${textIn(parent, 'name')}`;
}

function addressProblems(name: string): readonly string[] {
  const errors = new FieldErrors();
  validateIPAddress(name, path('name'), errors);
  return errors.list.map(({ body }) => body.slice(`Invalid value: ${JSON.stringify(name)}: `.length));
}

function validateParent(object: KubeObject, errors: FieldErrors): void {
  const at = path('spec', 'parentRef');
  const parent = parentOf(object);
  if (!parent) {
    errors.required(at);
    return;
  }
  const [group, namespace] = [textIn(parent, 'group'), textIn(parent, 'namespace')];
  if (group !== '') report(isDNS1123Subdomain(group), at.child('group'), group, errors);
  requireSegment(parent, 'resource', at, errors);
  requireSegment(parent, 'name', at, errors);
  if (namespace !== '') report(isValidPathSegmentName(namespace), at.child('namespace'), namespace, errors);
}

function internalParentRef({ group = '', resource = '', namespace = '', name = '' }: JsonObject): JsonObject {
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}
