import { memoize } from '../../cache/bounded-cache.ts';
import { compile } from '../../cel/compile.ts';
import type { Compiled, CostEstimate, SizeEstimator } from '../../cel/contract.ts';
import { createEnvironment, type Environment } from '../../cel/environment.ts';
import { type CelSchema, type DeclaredType, declareType } from '../../cel/types/declared-type.ts';
import { boolType, type CelType, optionalType, sameType, stringType } from '../../cel/types/type.ts';
import type { SchemaNode, ValidationRule } from '../schema/schema-node.ts';

/** A compiled x-kubernetes-validations rule, or its compilation error. */
export interface CompiledValidationRule {
  readonly rule: ValidationRule;
  /** Absent if the rule is empty or invalid. */
  readonly program?: Compiled;
  readonly error?: string;
  readonly usesOldSelf: boolean;
  readonly message?: Compiled;
  readonly messageError?: string;
  /** The path of errors relative to the value; '' for the value itself. */
  readonly fieldPath: string;
}

/** The compiled rules of a schema node, with the CEL type of its values. */
export interface CompiledRules {
  readonly declared: DeclaredType;
  readonly list: readonly CompiledValidationRule[];
  sizeOf: SizeEstimator;
}

/** By node, which never changes: a schema is compiled once for all its objects, and dropped with it. */
const known = new WeakMap<SchemaNode, CompiledRules>();

/** Compiles the rules of a node. Undefined if its values are not accessible to CEL. With `root` they are whole objects with metadata. */
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

function declaredTypeOf(node: SchemaNode, root: boolean): DeclaredType | undefined {
  return declareType(celSchemaOf(node), root || node.embedded, 'selfType');
}

function compileAll(node: SchemaNode, { type }: DeclaredType): readonly CompiledValidationRule[] {
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

function compileRule(rule: ValidationRule, node: SchemaNode, environment: Environment): CompiledValidationRule {
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

function compileMessage(expression: string, environment: Environment): Pick<CompiledValidationRule, 'message' | 'messageError'> {
  const message = compileTo(expression, stringType, environment);
  return typeof message === 'string' ? { messageError: message } : { message };
}

/** The program, or the compilation error. */
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

/** The maximum sizes of values by their path from `self`, for cost estimation. */
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

/** The CEL view of a schema. */
export const celSchemaOf: (node: SchemaNode) => CelSchema = memoize((node) => {
  const { properties, additional, items, values } = node;
  return {
    ...(node.type !== '' && { type: node.type }),
    ...(node.nullable && { nullable: true }),
    ...(node.default !== undefined && { default: node.default }),
    ...(properties && { properties: propertiesOf(properties) }),
    ...(additional !== undefined && {
      additionalProperties: typeof additional === 'object' ? celSchemaOf(additional) : additional,
    }),
    ...(items && { items: celSchemaOf(items) }),
    ...(values && valueRulesOf(values)),
    ...(node.intOrString && { 'x-kubernetes-int-or-string': true }),
    ...(node.preserveUnknown && { 'x-kubernetes-preserve-unknown-fields': true }),
    ...(node.embedded && { 'x-kubernetes-embedded-resource': true }),
    ...(node.listType !== undefined && { 'x-kubernetes-list-type': node.listType }),
    ...(node.listMapKeys.length > 0 && { 'x-kubernetes-list-map-keys': node.listMapKeys }),
    ...(node.mapType !== undefined && { 'x-kubernetes-map-type': node.mapType }),
  };
});

function propertiesOf(properties: ReadonlyMap<string, SchemaNode>): Readonly<Record<string, CelSchema>> {
  return Object.fromEntries([...properties].map(([key, child]) => [key, celSchemaOf(child)]));
}

function valueRulesOf(values: NonNullable<SchemaNode['values']>): CelSchema {
  return {
    ...(values.format !== '' && { format: values.format }),
    ...(values.enum.length > 0 && { enum: values.enum }),
    ...(values.required.length > 0 && { required: values.required }),
    ...(values.maxLength !== undefined && { maxLength: values.maxLength }),
    ...(values.maxItems !== undefined && { maxItems: values.maxItems }),
    ...(values.maxProperties !== undefined && { maxProperties: values.maxProperties }),
  };
}

/** A field path in the notation of errors, and the schema of the field. */
export interface FoundField {
  readonly path: string;
  readonly node: SchemaNode | undefined;
}

/** Resolves a path such as `.spec.list['a.b']`; a string is an error message. */
export function findField(jsonPath: string, root: SchemaNode, options: { readonly subscripts: boolean }): FoundField | string {
  const tokens = tokensOf(jsonPath);
  let found: FoundField = { path: '', node: root };
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i++];
    if (token !== '.' && token !== '[') return `expected [ or . but got: ${token}`;
    if (token === '[' && !options.subscripts) return 'array notation is not allowed';
    const written = tokens[i++];
    if (written === undefined) return 'unexpected end of JSON path';
    const name = token === '.' ? { text: written } : unquoted(written);
    if (typeof name === 'string') return name;
    const next = step(found, name.text);
    if (typeof next === 'string') return next;
    found = next;
    if (token === '.') continue;
    const close = tokens[i++];
    if (close === undefined) return 'unexpected end of JSON path';
    if (close !== ']') return `expected ] but got ${close}`;
  }
  return found;
}

function step({ path, node }: FoundField, name: string): FoundField | string {
  if (node?.properties !== undefined) {
    const child = node.properties.get(name);
    if (child === undefined) return 'does not refer to a valid field';
    return { path: path === '' ? name : `${path}.${name}`, node: child };
  }
  if (node?.additional === undefined) return 'does not refer to a valid field';
  return { path: `${path}[${name}]`, node: typeof node.additional === 'object' ? node.additional : undefined };
}

/** Dots and brackets are tokens, except within single quotes. */
function tokensOf(jsonPath: string): readonly string[] {
  // regex: linear; an unclosed quote consumes the rest of the text.
  return jsonPath.match(/'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]']+[^.[\]]*|'[\s\S]*$/g) ?? [];
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  "'": "'",
  '\\': '\\',
};

function unquoted(token: string): { readonly text: string } | string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return `expected single quoted string but got ${token}`;
  let problem: string | undefined;
  const text = token.slice(1, -1).replace(/\\(.)/g, (sequence, character: string) => {
    if (escapes[character] === undefined) problem = `invalid string literal: invalid escape char ${sequence}`;
    return escapes[character] ?? '';
  });
  return problem ?? { text };
}
