import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  apiVersionOf,
  type GroupVersionKind,
  type JsonObject,
  objectIn,
  objectsIn,
  parseApiVersion,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import {
  authorizerType,
  type CelType,
  compile,
  createEnvironment,
  declareType,
  dynType,
  type Environment,
} from '@tsukube/machinery/cel';
import type { Resource, ServedVersion } from '../../registry/resource.ts';
import { namedExpression, namespaceType, requestType, VariableCompiler } from '../cel/index.ts';
import { typedSchema } from './typed-schema.ts';

/** An item of `status.typeChecking.expressionWarnings`. */
export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

/** A kind that a policy matches. */
interface CheckedKind extends GroupVersionKind {
  readonly served: ServedVersion;
}

/**
 * Checks the validations of a ValidatingAdmissionPolicy against the types of the kinds that it names, one expression in each turn
 * of the event loop. `suffix` makes type names unique.
 */
export async function checkPolicyTypes(
  policy: JsonObject,
  resources: readonly Resource[],
  suffix: string,
): Promise<readonly ExpressionWarning[]> {
  const spec = objectIn(policy, 'spec') ?? {};
  const params = paramsType(objectIn(spec, 'paramKind'), resources, suffix);
  const checks = kindsToCheck(objectIn(spec, 'matchConstraints'), resources).map((kind) => ({
    name: `${apiGroupVersion(kind)}, Kind=${kind.kind}`,
    environment: environmentOf(spec, objectTypeOf(kind.served, kind.kind, suffix), params),
  }));
  const warnings: ExpressionWarning[] = [];
  for (const [i, validation] of objectsIn(spec, 'validations').entries()) {
    for (const field of ['expression', 'messageExpression']) {
      const text = textIn(validation, field);
      const warning = text === '' ? '' : warningsOf(text, checks);
      if (warning !== '') warnings.push({ fieldRef: `spec.validations[${i}].${field}`, warning });
      await nextTurn();
    }
  }
  return warnings;
}

interface Check {
  readonly name: string;
  readonly environment: Environment;
}

function warningsOf(text: string, checks: readonly Check[]): string {
  const warnings = checks.flatMap(({ name, environment }) => {
    const compiled = compile(text, environment);
    return compiled.ok || compiled.stage === 'program' ? [] : [`${name}: ${compiled.text}\n`];
  });
  return warnings.join('\n');
}

/** `/v1` for the core group. */
function apiGroupVersion({ group, version }: GroupVersionKind): string {
  return `${group}/${version}`;
}

function environmentOf(spec: JsonObject, object: CelType, params: CelType | undefined): Environment {
  const composition = new VariableCompiler();
  const environment = createEnvironment({
    variables: {
      object,
      oldObject: object,
      namespaceObject: namespaceType,
      request: requestType,
      ...(params && { params }),
      // As in Kubernetes, authorizer.requestResource is not known here.
      authorizer: authorizerType,
      variables: composition.type,
    },
  });
  for (const variable of objectsIn(spec, 'variables')) composition.add(namedExpression(variable), environment);
  return environment;
}

function objectTypeOf({ schema }: ServedVersion, kind: string, suffix: string): CelType {
  return declareType(typedSchema(schema), true, `${kind}${suffix}`)?.type ?? dynType;
}

/** Undefined if the policy has no parameters. */
function paramsType(paramKind: JsonObject | undefined, resources: readonly Resource[], suffix: string): CelType | undefined {
  if (!paramKind) return undefined;
  const [apiVersion, kind] = [textIn(paramKind, 'apiVersion'), textIn(paramKind, 'kind')];
  if (!parseApiVersion(apiVersion)) return undefined;
  for (const { names, versions } of resources) {
    const served = names.kind === kind ? versions.find((version) => apiVersionOf(version) === apiVersion) : undefined;
    if (served) return objectTypeOf(served, kind, suffix);
  }
  return dynType;
}

const maxKinds = 10;

/** The kinds of rules without wildcards, sorted. Subresources are not checked. */
function kindsToCheck(constraints: JsonObject | undefined, resources: readonly Resource[]): readonly CheckedKind[] {
  const kinds = new Map<string, CheckedKind>();
  for (const rule of objectsIn(constraints, 'resourceRules')) {
    const found = kindsOfRule(rule, resources);
    for (const kind of found) kinds.set(`${kind.group} ${kind.version} ${kind.kind}`, kind);
    if (found.length === maxKinds) break;
  }
  return [...kinds.values()].sort(byName);
}

function kindsOfRule(rule: JsonObject, resources: readonly Resource[]): readonly CheckedKind[] {
  const [groups, versions] = [textsIn(rule, 'apiGroups'), textsIn(rule, 'apiVersions')];
  if ([...groups, ...versions].some((name) => name.includes('*'))) return [];
  const names = textsIn(rule, 'resources').filter((name) => !/[*/]/.test(name));
  const found: CheckedKind[] = [];
  for (const group of [...groups].sort())
    for (const version of [...versions].sort())
      for (const name of [...names].sort()) found.push(...kindsNamed(group, version, name, resources));
  return found.slice(0, maxKinds);
}

/** As in Kubernetes, an empty group matches resources of all groups. */
function kindsNamed(group: string, version: string, name: string, resources: readonly Resource[]): readonly CheckedKind[] {
  return resources
    .filter(({ names }) => names.plural === name || names.singular === name)
    .flatMap(({ names, versions }) =>
      versions
        .filter((served) => served.version === version && (group === '' || served.group === group))
        .map((served) => ({ group: served.group, version, kind: names.kind, served })),
    );
}

function byName(a: CheckedKind, b: CheckedKind): number {
  const key = ({ group, version, kind }: CheckedKind) => `${group}\0${version}\0${kind}`;
  return key(a) < key(b) ? -1 : 1;
}
