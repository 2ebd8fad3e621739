import type { JsonObject, JsonValue } from '@tsukube/machinery';
import type { User } from '../../http/api-request.ts';
import type { JwtConfiguration, Mapping } from './configuration.ts';
import type { CompiledExpression, CompiledExpressions } from './expressions.ts';

const credentialId = 'authentication.kubernetes.io/credential-id';

/** Maps claims to a user. Throws an Error with Kubernetes' message if they are invalid. */
export function userFromClaims(claims: JsonObject, configuration: JwtConfiguration, expressions: CompiledExpressions): User {
  const { username, groups, uid } = configuration.claimMappings;
  const name = expressions.username ? nameByExpression(expressions.username, claims) : nameByClaim(username, claims);
  const found = groupsOf(groups, expressions.groups, claims);
  const id = uidOf(uid, expressions.uid, claims);
  const extra = extraOf(claims, expressions);
  const user = { name, groups: found, ...(id !== '' && { uid: id }), ...(Object.keys(extra).length > 0 && { extra }) };
  checkRequired(claims, configuration);
  checkRules(expressions.claimRules, claims, 'claim validation expression');
  const { userRules } = expressions;
  if (userRules.length > 0) checkRules(userRules, userValue(user), 'user info validation rule');
  return user;
}

function nameByClaim({ claim = '', prefix = '' }: Mapping, claims: JsonObject): string {
  const name = textClaim(claims, claim, `oidc: parse username claims "${claim}"`);
  if (claim === 'email' && claims.email_verified !== undefined) {
    if (typeof claims.email_verified !== 'boolean') throw new Error("oidc: parse 'email_verified' claim: not a boolean");
    if (!claims.email_verified) throw new Error('oidc: email not verified');
  }
  return prefix + name;
}

function nameByExpression(expression: CompiledExpression, claims: JsonObject): string {
  const value = evaluated(expression, claims, 'username claim expression');
  if (typeof value !== 'string')
    throw new Error('oidc: error evaluating username claim expression: username claim expression must return a string');
  if (value === '') throw new Error('oidc: empty username via CEL expression is not allowed');
  return value;
}

function groupsOf(
  mapping: Mapping | undefined,
  expression: CompiledExpression | undefined,
  claims: JsonObject,
): readonly string[] {
  const { claim = '', prefix = '' } = mapping ?? {};
  const value = claim === '' ? undefined : claims[claim];
  if (value !== undefined) return textsOrText(value, claim).map((group) => prefix + group);
  return expression ? textList(evaluated(expression, claims, 'group claim expression'), 'group claim expression') : [];
}

/** Some issuers send a single group as a string. */
function textsOrText(value: JsonValue, claim: string): readonly string[] {
  if (value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new Error(`oidc: parse groups claim "${claim}": neither a text nor a list of texts`);
}

function uidOf(mapping: Mapping | undefined, expression: CompiledExpression | undefined, claims: JsonObject): string {
  if (mapping?.claim) return textClaim(claims, mapping.claim, `oidc: parse uid claim "${mapping.claim}"`);
  if (!expression) return '';
  const value = evaluated(expression, claims, 'uid claim expression');
  if (typeof value === 'string') return value;
  throw new Error('oidc: error evaluating uid claim expression: uid claim expression must return a string');
}

function extraOf(claims: JsonObject, { extra }: CompiledExpressions): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  if (typeof claims.jti === 'string' && claims.jti !== '') found[credentialId] = [`JTI=${claims.jti}`];
  for (const { key, expression } of extra) {
    const values = textList(evaluated(expression, claims, 'extra claim expression'), 'extra claim expression');
    if (values.length > 0) found[key] = values;
  }
  return found;
}

function checkRequired(claims: JsonObject, { claimValidationRules = [] }: JwtConfiguration): void {
  for (const { claim, requiredValue = '' } of claimValidationRules) {
    if (!claim) continue;
    if (claims[claim] === undefined) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const value = textClaim(claims, claim, `oidc: parse claim ${claim}`);
    if (value !== requiredValue)
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
  }
}

function checkRules(rules: CompiledExpressions['claimRules'], value: JsonObject, what: string): void {
  for (const { expression, message } of rules) {
    if (evaluated(expression, value, what) === true) continue;
    throw new Error(`oidc: error evaluating ${what}: validation expression '${expression.text}' failed: ${message}`);
  }
}

function userValue({ name, uid, groups, extra }: User): JsonObject {
  return { username: name, uid: uid ?? '', groups: [...groups], extra: { ...extra } as JsonObject };
}

function textClaim(claims: JsonObject, claim: string, what: string): string {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (value === undefined) throw new Error(`${what}: claim not present`);
  if (typeof value !== 'string') throw new Error(`${what}: not a string`);
  return value;
}

function evaluated(expression: CompiledExpression, value: JsonObject, what: string): JsonValue {
  const outcome = expression.evaluate(value);
  if (!outcome.ok)
    throw new Error(`oidc: error evaluating ${what}: expression '${expression.text}' resulted in error: ${outcome.error}`);
  return outcome.value;
}

/** A string or a list of strings; empty strings and null are dropped. */
function textList(value: JsonValue, what: string): readonly string[] {
  if (value === null) return [];
  const values = Array.isArray(value) ? value : [value];
  if (!values.every((each) => typeof each === 'string'))
    throw new Error(`oidc: error evaluating ${what}: expression must return a string or a list of strings`);
  return values.filter((each) => each !== '');
}
