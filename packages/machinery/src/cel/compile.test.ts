import { describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import type { Compiled, EvaluationResult } from './contract.ts';
import { createEnvironment } from './environment.ts';
import {
  type AuthorizerQuestion,
  authorizerType,
  authorizerValue,
  type CelAuthorizer,
  resourceCheckType,
  resourceCheckValue,
} from './library/authorizer.ts';
import { objectNameProblems } from './library/mutation.ts';
import { boolType, dynType, intType, objectType, optionalType, stringType } from './types/type.ts';
import { dynamicJson } from './values/json.ts';
import { toJson } from './values/to-json.ts';
import { type CelValue, optionalNone } from './values/value.ts';

function compiled(expression: string, variables = {}): Compiled {
  const result = compile(expression, createEnvironment({ variables }));
  if (!result.ok) throw new Error(result.text);
  return result;
}

function resultOf(outcome: EvaluationResult): CelValue | string {
  return outcome.ok ? outcome.value : `${outcome.reason}: ${outcome.error}`;
}

describe('compiling', () => {
  it('returns the result type and the variables used', () => {
    const { type, references } = compiled('a == b.size() && [1].all(c, c > 0)', { a: intType, b: stringType, d: boolType });
    expect(type).toBe(boolType);
    expect([...references]).toEqual(['a', 'b']);
  });

  it('reports the position of every issue', () => {
    const result = compile('[\n  size(1), [b, "é", c]]', createEnvironment({ variables: { a: intType } }));
    expect(result).toMatchObject({
      ok: false,
      stage: 'compilation',
      issues: [
        { line: 2, column: 6, message: "found no matching overload for 'size' applied to '(int)'" },
        { line: 2, column: 12, message: "undeclared reference to 'b' (in container '')" },
        { line: 2, column: 20, message: "undeclared reference to 'c' (in container '')" },
      ],
    });
    expect(result.ok ? '' : result.text).toContain('\n |   size(1), [b, "é", c]]\n | ................\uff0e...^');
  });

  it('folds constants', () => {
    const result = compile('int("x") == 1', createEnvironment());
    expect(result).toMatchObject({ ok: false, stage: 'program', text: "type conversion error from 'string' to 'int'" });
  });

  it.each([
    ['quantity("1")', '1.27', '1.28'],
    ['sets.contains([1], [1])', '1.28', '1.29'],
    ['"%s".format(["a"])', '1.28', '1.29'],
    ['ip("::1")', '1.29', '1.30'],
    ['format.uuid()', '1.30', '1.31'],
    ['[1].transformList(i, v, v)', '1.31', '1.32'],
    ['semver("1.0.0")', '1.32', '1.33'],
    ['[1].distinct()', '1.33', '1.34'],
  ])('%s is not available before its version (%s)', (expression, before, since) => {
    expect(compile(expression, createEnvironment({ version: before })).ok).toBe(false);
    expect(compile(expression, createEnvironment({ version: since })).ok).toBe(true);
  });

  it('rejects versions before CEL', () => {
    expect(() => createEnvironment({ version: '1.20' })).toThrow('1.23');
  });
});

describe('evaluating', () => {
  it('computes a variable once, and only if it is used', () => {
    let calls = 0;
    const program = compiled('a ? b + b : 0', { a: boolType, b: intType });
    const b = () => {
      calls++;
      return 2;
    };
    expect(resultOf(program.evaluate({ a: false, b }))).toBe(0);
    expect(calls).toBe(0);
    expect(resultOf(program.evaluate({ a: true, b }))).toBe(4);
    expect(calls).toBe(1);
  });

  it('names the variable without a value', () => {
    expect(resultOf(compiled('a', { a: intType }).evaluate({}))).toBe('error: no such attribute(s): a');
  });

  it('ignores the prototype of the bindings', () => {
    expect(resultOf(compiled('toString', { toString: dynType }).evaluate({}))).toBe('error: no such attribute(s): toString');
  });

  it('stops at the cost limit', () => {
    const program = compiled('self.all(x, x > 0)', { self: dynType });
    const self = dynamicJson(Array(100).fill(1));
    expect(program.evaluate({ self }, { costLimit: 50 })).toMatchObject({
      ok: false,
      reason: 'cost limit',
      error: 'operation cancelled: actual cost limit exceeded',
      cost: 51,
    });
    expect(program.evaluate({ self })).toMatchObject({ ok: true, value: true, cost: 502 });
  });

  it('stops when it is cancelled', () => {
    const program = compiled('self.all(x, x > 0)', { self: dynType });
    const self = dynamicJson(Array(1_000).fill(1));
    expect(program.evaluate({ self }, { cancelled: () => true })).toMatchObject({
      reason: 'cancelled',
      error: 'operation interrupted',
    });
    expect(program.evaluate({ self }, { cancelled: () => false })).toMatchObject({ ok: true });
  });

  it('treats keys such as __proto__ as data', () => {
    const self = dynamicJson(JSON.parse('{"__proto__": 1, "constructor": 2}'));
    expect(resultOf(compiled('self.__proto__ + self.constructor', { self: dynType }).evaluate({ self }))).toBe(3);
    expect(resultOf(compiled('has(self.toString)', { self: dynType }).evaluate({ self }))).toBe(false);
  });

  it('supports an optional oldSelf', () => {
    const program = compiled('oldSelf.hasValue() ? oldSelf.value() < self : true', {
      self: intType,
      oldSelf: optionalType(intType),
    });
    expect(resultOf(program.evaluate({ self: 1, oldSelf: optionalNone }))).toBe(true);
  });

  it('constructs objects of declared types', () => {
    const type = objectType('Point', (name) => (name === 'x' ? intType : undefined));
    const environment = createEnvironment({ types: [type] });
    const program = compile('Point{x: 1}.x + 1', environment);
    expect(program.ok && resultOf(program.evaluate({}))).toBe(2);
    expect(compile('Point{y: 1}', environment)).toMatchObject({ issues: [{ message: "undefined field 'y'" }] });
    expect(compile('Point{x: "a"}', environment)).toMatchObject({
      issues: [{ message: "expected type of field 'x' is 'int' but provided type is 'string'" }],
    });
  });
});

describe('mutation expressions', () => {
  const environment = createEnvironment({ mutation: true, variables: { object: dynType } });
  const made = (expression: string): CelValue => {
    const program = compile(expression, environment);
    const outcome = program.ok ? program.evaluate({ object: dynamicJson({ spec: { replicas: 1 } }) }) : undefined;
    if (!outcome?.ok) throw new Error(program.ok ? 'not evaluated' : program.text);
    return outcome.value;
  };

  it('construct objects', () => {
    const object = made('Object{spec: Object.spec{replicas: object.spec.replicas + 1, list: [Object.spec.list{a: "b"}]}}');
    expect(toJson(object)).toEqual({ spec: { replicas: 2, list: [{ a: 'b' }] } });
    expect(objectNameProblems(object)).toEqual([]);
  });

  it('require type names that match the path', () => {
    expect(objectNameProblems(made('Object{spec: Object.status{}}'))).toEqual([
      'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    ]);
  });

  it('construct JSON patches', () => {
    const patches = made('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: {"x": 1}}]');
    expect(toJson(patches)).toEqual([{ op: 'add', path: '/metadata/labels/a~1b~0c', value: { x: 1 } }]);
    expect(compile('JSONPatch{op: 1}', environment).ok).toBe(false);
    expect(compile('JSONPatch{what: 1}', environment).ok).toBe(false);
  });

  it('are not available without the mutation option', () => {
    expect(compile('Object{}', createEnvironment()).ok).toBe(false);
    expect(compile('jsonpatch.escapeKey("a")', createEnvironment()).ok).toBe(false);
  });
});

describe('the authorizer', () => {
  const asked: AuthorizerQuestion[] = [];
  const authorizer = (user: string): CelAuthorizer => ({
    authorize: (question) => {
      asked.push(question);
      return { allowed: question.verb === 'get', reason: `for ${user}` };
    },
    forServiceAccount: (namespace, name) => authorizer(`${namespace}/${name}`),
  });
  const variables = { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType };
  const bindings = {
    authorizer: authorizerValue(authorizer('me')),
    'authorizer.requestResource': resourceCheckValue(authorizer('me'), { group: 'apps', resource: 'deployments', name: 'd' }),
  };
  const ask = (expression: string) => resultOf(compiled(expression, variables).evaluate(bindings));

  it.each<[string, CelValue]>([
    ['authorizer.path("/healthz").check("get").allowed()', true],
    ['authorizer.group("").resource("pods").namespace("a").name("b").check("delete").allowed()', false],
    ['authorizer.group("").resource("pods").check("get").reason()', 'for me'],
    ['authorizer.serviceAccount("ns", "sa").path("/x").check("get").reason()', 'for ns/sa'],
    ['authorizer.requestResource.check("get").allowed()', true],
    ['authorizer.path("/x").check("get").errored()', false],
    ['authorizer.path("/x").check("get").error()', ''],
    ['authorizer.path(" ")', 'error: path must not be empty'],
    ['authorizer.group("").resource("")', 'error: resource must not be empty'],
    ['authorizer.serviceAccount("ns", "S")', 'error: Invalid service account name'],
    ['authorizer.serviceAccount("N", "s")', 'error: Invalid service account namespace'],
  ])('%s', (expression, expected) => {
    expect(ask(expression)).toEqual(expected);
  });

  it('receives all parts of the check', () => {
    asked.length = 0;
    const steps = '.subresource("s").namespace("n").name("x").fieldSelector("a=b").labelSelector("c=d")';
    ask(`authorizer.group("g").resource("r")${steps}.check("get").allowed()`);
    expect(asked).toEqual([
      {
        group: 'g',
        resource: 'r',
        subresource: 's',
        namespace: 'n',
        name: 'x',
        fieldSelector: 'a=b',
        labelSelector: 'c=d',
        verb: 'get',
      },
    ]);
  });

  it('costs enough that an expression may check only twice', () => {
    const question = 'authorizer.path("/x").check("get").allowed()';
    expect(compiled(question, variables).evaluate(bindings).cost).toBe(350_003);
    expect(ask([question, question, question].join('&&'))).toBe('cost limit: operation cancelled: actual cost limit exceeded');
  });
});
