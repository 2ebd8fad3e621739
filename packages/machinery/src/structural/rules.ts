import { compile } from '../cel/compile.ts';
import type { Compiled, CostEstimate, SizeEstimator } from '../cel/contract.ts';
import { createEnvironment, type Environment } from '../cel/environment.ts';
import { type DeclaredType, declareType } from '../cel/types/declared-type.ts';
import { boolType, type CelType, optionalType, sameType, stringType } from '../cel/types/type.ts';
import { celSchemaOf } from './cel-schema.ts';
import { findField } from './field-path-of-rule.ts';
import type { SchemaNode, ValidationRule } from './schema-node.ts';

/** A rule, ready to be evaluated, or what is wrong with it. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  /** Absent if the rule is empty, or wrong. */
  readonly program?: Compiled;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  readonly message?: Compiled;
  readonly messageError?: string;
  /** Where errors are reported, below the value; '' if at the value itself. */
  readonly fieldPath: string;
}

/** The rules of one node, and what its values are to them. */
export interface CompiledRules {
  readonly declared: DeclaredType;
  readonly list: readonly CompiledRule[];
  sizeOf: SizeEstimator;
}

const known = new WeakMap<SchemaNode, CompiledRules>();

/** Undefined if expressions can see nothing of the values of the node. `root`: its values are objects with metadata. */
export function rulesOf(node: SchemaNode, root: boolean): CompiledRules | undefined {
  let rules = known.get(node);
  if (rules === undefined) {
    const declared = declaredTypeOf(node, root);
    if (declared === undefined) return undefined;
    rules = { declared, list: compileAll(node, declared), sizeOf: sizesIn(declared) };
    known.set(node, rules);
  }
  return rules;
}

export function declaredTypeOf(node: SchemaNode, root: boolean): DeclaredType | undefined {
  return declareType(celSchemaOf(node), root || node.embedded, 'selfType');
}

function compileAll(node: SchemaNode, { type }: DeclaredType): readonly CompiledRule[] {
  const environments = new Map<boolean, Environment>();
  const environmentFor = (optional: boolean): Environment => {
    const environment = environments.get(optional) ?? environmentOf(type, optional);
    environments.set(optional, environment);
    return environment;
  };
  return node.rules.map((rule) => compileRule(rule, node, environmentFor(rule.optionalOldSelf === true)));
}

function environmentOf(self: CelType, optional: boolean): Environment {
  return createEnvironment({ variables: { self, oldSelf: optional ? optionalType(self) : self } });
}

function compileRule(rule: ValidationRule, node: SchemaNode, environment: Environment): CompiledRule {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false, fieldPath: '' };
  const program = compileTo(rule.rule, boolType, environment);
  if (typeof program === 'string') return { rule, error: program, usesOldSelf: false, fieldPath: '' };
  const field = rule.fieldPath === '' ? '' : findField(rule.fieldPath, node, { subscripts: true });
  return {
    rule,
    program,
    usesOldSelf: program.references.has('oldSelf'),
    ...(rule.messageExpression !== '' && compileMessage(rule.messageExpression, environment)),
    fieldPath: typeof field === 'string' ? '' : field.path,
  };
}

function compileMessage(expression: string, environment: Environment): Pick<CompiledRule, 'message' | 'messageError'> {
  const message = compileTo(expression, stringType, environment);
  return typeof message === 'string' ? { messageError: message } : { message };
}

/** The program, or why there is none. */
function compileTo(expression: string, type: CelType, environment: Environment): Compiled | string {
  const prefix = type === stringType ? 'messageExpression ' : '';
  const compiled = compile(expression, environment);
  if (!compiled.ok) {
    const what =
      compiled.stage === 'compilation' ? 'compilation failed' : `${prefix === '' ? 'program ' : ''}instantiation failed`;
    return `${prefix}${what}: ${compiled.text}`;
  }
  if (sameType(compiled.type, type)) return compiled;
  return type === boolType ? 'cel expression must evaluate to a bool' : 'messageExpression must evaluate to a string';
}

/** How large values are at most, by their path from `self`. */
function sizesIn(root: DeclaredType): SizeEstimator {
  return (path): CostEstimate | undefined => {
    if (path.length === 0) return undefined;
    let type: DeclaredType | undefined = root;
    for (const name of path.slice(1)) {
      if (name === '@items' || name === '@values') type = type?.element;
      else type = name === '@keys' ? type?.key : type?.field?.(name);
    }
    return type && { min: 0, max: type.maxElements };
  };
}
