import { ageColumn, type Column, column, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  objectIn,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { report } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';
import { validateReference } from './ingress.ts';

const columns: readonly Column[] = [
  column('Name', { type: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field: 'name' }, nameCell, { format: 'name' }),
  {
    name: 'Controller',
    type: 'string',
    description: 'Controller that is responsible for handling this class',
    value: (object) => textIn(objectIn(object, 'spec'), 'controller'),
  },
  {
    name: 'Parameters',
    type: 'string',
    description: 'A reference to a resource with additional parameters',
    value: parametersCell,
  },
  ageColumn,
];

const v1: ServedVersion = { group: 'networking.k8s.io', version: 'v1', schema: schemaOf('networking.v1.IngressClass'), columns };

export const ingressClass: Resource = {
  names: { plural: 'ingressclasses', singular: 'ingressclass', kind: 'IngressClass', listKind: 'IngressClassList' },
  scope: 'Cluster',
  storagePrefix: '/registry/ingressclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    generation: true,
    applyDefaults(object) {
      const parameters = objectIn(objectIn(object, 'spec'), 'parameters');
      if (parameters && (parameters.scope === undefined || parameters.scope === null)) parameters.scope = 'Cluster';
    },
    validateCreate: validateIngressClass,
    validateUpdate(object, old, errors) {
      const controllerOf = (each: JsonObject) => textIn(objectIn(each, 'spec'), 'controller');
      validateImmutableField(controllerOf(object), controllerOf(old), path('spec', 'controller'), errors);
      validateIngressClass(object, errors);
    },
  },
};

function nameCell(object: KubeObject): string {
  const { name } = object.metadata;
  const isDefault = mapIn(object.metadata, 'annotations')['ingressclass.kubernetes.io/is-default-class'] === 'true';
  return `${name ?? ''}${isDefault ? ' (default)' : ''}`;
}

function parametersCell(object: KubeObject): string {
  const parameters = objectIn(objectIn(object, 'spec'), 'parameters');
  if (!parameters) return '<none>';
  const group = parameters.apiGroup === undefined ? '' : `.${parameters.apiGroup}`;
  return `${textIn(parameters, 'kind')}${group}/${textIn(parameters, 'name')}`;
}

const maxController = 250;
const scopes = ['Cluster', 'Namespace'];

function validateIngressClass(object: KubeObject, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec');
  const controller = textIn(spec, 'controller');
  const at = path('spec', 'controller');
  if (controller.length > maxController) errors.tooLong(at, maxController);
  validatePrefixedPath(controller, at, errors);
  const parameters = objectIn(spec, 'parameters');
  if (parameters) validateParameters(parameters, path('spec', 'parameters'), errors);
}

const pathPattern = /^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/;

/** A domain-prefixed path: `example.com/path`. */
function validatePrefixedPath(text: string, at: FieldPath, errors: FieldErrors): void {
  if (text === '') {
    errors.required(at);
    return;
  }
  const slash = text.indexOf('/');
  const [host, rest] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 0 || host === '' || rest === '') {
    errors.invalid(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  report(isDNS1123Subdomain(host), at, host, errors);
  if (!pathPattern.test(rest))
    errors.invalid(at, rest, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
}

function validateParameters(parameters: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateReference(parameters, at, errors);
  const scope = textIn(parameters, 'scope');
  const { namespace } = parameters;
  if (!scopes.includes(scope)) errors.notSupported(at.child('scope'), scope, scopes);
  else if (scope === 'Cluster') {
    if (namespace !== undefined) errors.forbidden(at.child('namespace'), "`parameters.scope` is set to 'Cluster'");
  } else if (namespace === undefined) errors.required(at.child('namespace'), "`parameters.scope` is set to 'Namespace'");
  else report(nameIsDNSLabel(textIn(parameters, 'namespace'), false), at.child('namespace'), namespace, errors);
}
