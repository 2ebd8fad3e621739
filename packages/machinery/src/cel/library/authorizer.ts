import { isDNS1123Label, nameIsDNSSubdomain } from '../../meta/validation/names.ts';
import { boolType, type CelType, stringType } from '../types/type.ts';
import { CelError, CelOpaque, type CelValue, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, memberOverload } from './declarations.ts';

/** An authorization check made by an expression. */
export type AuthorizerQuestion =
  | { readonly path: string; readonly verb: string }
  | {
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
      readonly fieldSelector: string;
      readonly labelSelector: string;
      readonly verb: string;
    };

export interface AuthorizerAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Performs the checks. An error it throws aborts the evaluation and propagates to the caller of `evaluate`. */
export interface CelAuthorizer {
  authorize(question: AuthorizerQuestion): AuthorizerAnswer;
  /** The authorizer for a service account instead of the requesting user. */
  forServiceAccount(namespace: string, name: string): CelAuthorizer;
}

type ResourceQuestion = Omit<Extract<AuthorizerQuestion, { group: string }>, 'verb'>;

function typeNamed(name: string): CelType {
  return { kind: 'object', name: `kubernetes.authorization.${name}`, params: [] };
}

const types = {
  Authorizer: typeNamed('Authorizer'),
  PathCheck: typeNamed('PathCheck'),
  GroupCheck: typeNamed('GroupCheck'),
  ResourceCheck: typeNamed('ResourceCheck'),
  Decision: typeNamed('Decision'),
};

export const authorizerType = types.Authorizer;
export const resourceCheckType = types.ResourceCheck;

/** A builder step of a check. Steps are never equal. */
abstract class Step extends CelOpaque {
  equals(_other: CelValue): CelValue {
    return noSuchOverload;
  }
}

class AuthorizerValue extends Step {
  readonly type = types.Authorizer;
  readonly authorizer: CelAuthorizer;
  constructor(authorizer: CelAuthorizer) {
    super();
    this.authorizer = authorizer;
  }
}

class PathCheck extends Step {
  readonly type = types.PathCheck;
  readonly authorizer: CelAuthorizer;
  readonly path: string;
  constructor(authorizer: CelAuthorizer, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

class GroupCheck extends Step {
  readonly type = types.GroupCheck;
  readonly authorizer: CelAuthorizer;
  readonly group: string;
  constructor(authorizer: CelAuthorizer, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

class ResourceCheck extends Step {
  readonly type = types.ResourceCheck;
  readonly authorizer: CelAuthorizer;
  readonly question: ResourceQuestion;
  constructor(authorizer: CelAuthorizer, question: ResourceQuestion) {
    super();
    this.authorizer = authorizer;
    this.question = question;
  }
}

class Decision extends Step {
  readonly type = types.Decision;
  readonly answer: AuthorizerAnswer;
  constructor(answer: AuthorizerAnswer) {
    super();
    this.answer = answer;
  }
}

/** The variable `authorizer`. */
export function authorizerValue(authorizer: CelAuthorizer): CelValue {
  return new AuthorizerValue(authorizer);
}

const anything = { subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: '' };

/** The variable `authorizer.requestResource`. */
export function resourceCheckValue(
  authorizer: CelAuthorizer,
  question: Pick<ResourceQuestion, 'group' | 'resource'> & Partial<ResourceQuestion>,
): CelValue {
  return new ResourceCheck(authorizer, { ...anything, ...question });
}

function checkPath(value: AuthorizerValue, path: string): CelValue {
  return path.trim() === '' ? new CelError('path must not be empty') : new PathCheck(value.authorizer, path);
}

function checkResource({ authorizer, group }: GroupCheck, resource: string): CelValue {
  if (resource.trim() === '') return new CelError('resource must not be empty');
  return resourceCheckValue(authorizer, { group, resource });
}

function serviceAccount(value: AuthorizerValue, namespace: string, name: string): CelValue {
  if (nameIsDNSSubdomain(name, false).length > 0) return new CelError('Invalid service account name');
  if (isDNS1123Label(namespace).length > 0) return new CelError('Invalid service account namespace');
  return new AuthorizerValue(value.authorizer.forServiceAccount(namespace, name));
}

function narrowing(key: keyof ResourceQuestion, id: string) {
  const call = ({ authorizer, question }: ResourceCheck, value: string) =>
    new ResourceCheck(authorizer, { ...question, [key]: value });
  return declare(key, memberOverload(id, [types.ResourceCheck, stringType], types.ResourceCheck, call));
}

function reading(name: string, result: CelType, read: (answer: AuthorizerAnswer) => CelValue) {
  return declare(
    name,
    memberOverload(`decision_${name}`, [types.Decision], result, (value: Decision) => read(value.answer)),
  );
}

export const authorizerLibrary: CelLibrary = {
  functions: [
    declare('path', memberOverload('authorizer_path', [types.Authorizer, stringType], types.PathCheck, checkPath)),
    declare(
      'group',
      memberOverload(
        'authorizer_group',
        [types.Authorizer, stringType],
        types.GroupCheck,
        (value: AuthorizerValue, group: string) => new GroupCheck(value.authorizer, group),
      ),
    ),
    declare(
      'serviceAccount',
      memberOverload('authorizer_serviceaccount', [types.Authorizer, stringType, stringType], types.Authorizer, serviceAccount),
    ),
    declare(
      'resource',
      memberOverload('groupcheck_resource', [types.GroupCheck, stringType], types.ResourceCheck, checkResource),
    ),
    narrowing('subresource', 'resourcecheck_subresource'),
    narrowing('namespace', 'resourcecheck_namespace'),
    narrowing('name', 'resourcecheck_name'),
    declare(
      'check',
      memberOverload(
        'pathcheck_check',
        [types.PathCheck, stringType],
        types.Decision,
        ({ authorizer, path }: PathCheck, verb: string) => new Decision(authorizer.authorize({ path, verb })),
      ),
      memberOverload(
        'resourcecheck_check',
        [types.ResourceCheck, stringType],
        types.Decision,
        ({ authorizer, question }: ResourceCheck, verb: string) => new Decision(authorizer.authorize({ ...question, verb })),
      ),
    ),
    reading('errored', boolType, ({ error }) => error !== undefined),
    reading('error', stringType, ({ error }) => error ?? ''),
    reading('allowed', boolType, ({ allowed }) => allowed),
    reading('reason', stringType, ({ reason }) => reason),
  ],
};

/** Field and label selectors, added in 1.31. */
export const authorizerSelectorsLibrary: CelLibrary = {
  functions: [narrowing('fieldSelector', 'authorizer_fieldselector'), narrowing('labelSelector', 'authorizer_labelselector')],
};
