import { X509Certificate } from 'node:crypto';
import { FieldErrors, type FieldPath, path, trimRight } from '@tsukube/machinery';
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  ClaimRule,
  IssuerConfiguration,
  JwtConfiguration,
  Mapping,
  UserRule,
} from './configuration.ts';
import { type CompiledExpressions, compileExpressions } from './expressions.ts';

export interface ValidConfiguration {
  readonly errors: FieldErrors;
  /** The compiled expressions of each `jwt` entry. */
  readonly expressions: readonly CompiledExpressions[];
}

const maxAuthenticators = 64;

/** Validates the configuration as kube-apiserver does and compiles its expressions. */
export async function validateConfiguration(
  { jwt, anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): Promise<ValidConfiguration> {
  const errors = new FieldErrors();
  const root = path('jwt');
  if (jwt.length > maxAuthenticators) errors.tooMany(root, jwt.length, maxAuthenticators);
  const expressions = await Promise.all(jwt.map((each, i) => validateJwt(each, disallowedIssuers, root.index(i), errors)));
  validateUniqueness(jwt, root, errors);
  if (anonymous && !anonymous.enabled && anonymous.conditions?.length) {
    const shown = anonymous.conditions.map(({ path: allowed }) => ({ Path: allowed }));
    errors.invalid(path('anonymous', 'conditions'), shown, 'enabled should be set to true when conditions are defined');
  }
  return { errors, expressions };
}

function validateUniqueness(jwt: readonly JwtConfiguration[], root: FieldPath, errors: FieldErrors): void {
  const urls = jwt.map(({ issuer }) => issuer.url);
  const discovered = jwt.map(({ issuer }) => issuer.discoveryURL ?? '');
  for (const [i, { issuer }] of jwt.entries()) {
    const { url, discoveryURL: other = '' } = issuer;
    if (urls.indexOf(url) < i) errors.duplicate(root.index(i).child('issuer', 'url'), url);
    if (other !== '' && discovered.indexOf(other) < i) errors.duplicate(root.index(i).child('issuer', 'discoveryURL'), other);
  }
}

async function validateJwt(
  jwt: JwtConfiguration,
  disallowed: readonly string[],
  at: FieldPath,
  errors: FieldErrors,
): Promise<CompiledExpressions> {
  validateIssuer(jwt.issuer, disallowed, at.child('issuer'), errors);
  validateClaimRules(jwt.claimValidationRules ?? [], at.child('claimValidationRules'), errors);
  validateMappings(jwt.claimMappings, at.child('claimMappings'), errors);
  validateUserRules(jwt.userValidationRules ?? [], at.child('userValidationRules'), errors);
  validateEmail(jwt, at, errors);
  return compileExpressions(jwt, (place, expression, problem) => {
    const field = place.reduce<FieldPath>(
      (above, step) => (typeof step === 'number' ? above.index(step) : above.child(step)),
      at,
    );
    errors.invalid(field, expression, problem);
  });
}

function validateClaimRules(rules: readonly ClaimRule[], at: FieldPath, errors: FieldErrors): void {
  for (const [i, { claim = '', expression = '', message = '', requiredValue = '' }] of rules.entries()) {
    const field = at.index(i);
    if (claim !== '' && expression !== '') errors.invalid(field, claim, "claim and expression can't both be set");
    else if (claim === '' && expression === '') errors.required(field, 'claim or expression is required');
    else if (claim !== '') {
      if (message !== '') errors.invalid(field.child('message'), message, 'may not be specified when claim is set');
      if (isRepeated(rules, i, 'claim')) errors.duplicate(field.child('claim'), claim);
    } else {
      if (requiredValue !== '')
        errors.invalid(field.child('requiredValue'), requiredValue, 'may not be specified when expression is set');
      if (isRepeated(rules, i, 'expression')) errors.duplicate(field.child('expression'), expression);
    }
  }
}

function isRepeated<K extends string>(rules: readonly { readonly [key in K]?: string }[], i: number, key: K): boolean {
  return rules.slice(0, i).some((earlier) => earlier[key] === rules[i]?.[key]);
}

function validateMappings({ username, groups, uid, extra = [] }: ClaimMappings, at: FieldPath, errors: FieldErrors): void {
  validateMapping(username ?? {}, true, at.child('username'), errors);
  validateMapping(groups ?? {}, false, at.child('groups'), errors);
  if (uid?.claim && uid.expression) errors.invalid(at.child('uid'), '', "claim and expression can't both be set");
  for (const [i, { key = '', valueExpression }] of extra.entries()) {
    const field = at.child('extra').index(i);
    validateKey(key, field.child('key'), errors);
    if (isRepeated(extra, i, 'key')) errors.duplicate(field.child('key'), key);
    else if (!valueExpression) errors.required(field.child('valueExpression'));
  }
}

function validateMapping(
  { claim = '', expression = '', prefix }: Mapping,
  required: boolean,
  at: FieldPath,
  errors: FieldErrors,
): void {
  if (claim !== '' && expression !== '') errors.invalid(at, '', "claim and expression can't both be set");
  else if (claim === '' && expression === '' && required) errors.required(at, 'claim or expression is required');
  else if (expression !== '' && prefix !== undefined)
    errors.invalid(at.child('prefix'), prefix, 'may not be specified when expression is set');
  else if (claim !== '' && prefix === undefined)
    errors.required(
      at.child('prefix'),
      'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
    );
}

const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Keys are lower-case domain-prefixed paths outside of Kubernetes' domains. */
function validateKey(key: string, at: FieldPath, errors: FieldErrors): void {
  if (key === '') return void errors.required(at);
  const slash = key.indexOf('/');
  const prefix = key.slice(0, Math.max(slash, 0));
  if (slash < 0 || !domain.test(prefix.toLowerCase()) || !/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(key.slice(slash + 1)))
    errors.invalid(at, key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  if (key !== key.toLowerCase()) errors.invalid(at, key, 'must be lowercase');
  if (/(^|\.)(kubernetes|k8s)\.io$/.test(prefix))
    errors.invalid(at, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use');
}

function validateUserRules(rules: readonly UserRule[], at: FieldPath, errors: FieldErrors): void {
  for (const [i, { expression }] of rules.entries()) {
    const field = at.index(i).child('expression');
    if (!expression) errors.required(field);
    else if (isRepeated(rules, i, 'expression')) errors.duplicate(field, expression);
  }
}

const emailHint =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

/** Unverified email addresses cannot be user names. */
function validateEmail({ claimMappings, claimValidationRules = [] }: JwtConfiguration, at: FieldPath, errors: FieldErrors): void {
  const username = claimMappings.username?.expression ?? '';
  if (!names(username, 'email')) return;
  const extra = (claimMappings.extra ?? []).map(({ valueExpression }) => valueExpression);
  const all = [username, ...extra, ...claimValidationRules.map(({ expression }) => expression ?? '')];
  if (!all.some((expression) => names(expression, 'email_verified')))
    errors.invalid(at.child('claimMappings', 'username', 'expression'), username, emailHint);
}

/** Whether an expression uses a claim, outside of string literals. */
function names(expression: string, claim: string): boolean {
  // regex: reads the authentication configuration file.
  const withoutTexts = expression.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  // regex: the claim is one of two constants.
  return new RegExp(`\\bclaims\\s*\\.\\s*\\??\\s*${claim}\\b`).test(withoutTexts);
}

function validateIssuer(issuer: IssuerConfiguration, disallowed: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const { url, discoveryURL = '' } = issuer;
  if (!url) errors.required(at.child('url'));
  else validateUrl(url, disallowed, at.child('url'), errors);
  if (discoveryURL !== '') {
    const field = at.child('discoveryURL');
    if (url && trimmed(url) === trimmed(discoveryURL))
      errors.invalid(field, discoveryURL, 'discoveryURL must be different from URL');
    validateUrl(discoveryURL, [], field, errors);
  }
  validateAudiences(issuer, at, errors);
  validateAuthority(issuer.certificateAuthority ?? '', at.child('certificateAuthority'), errors);
  validateEgress(issuer.egressSelectorType ?? '', at.child('egressSelectorType'), errors);
}

function trimmed(url: string): string {
  return trimRight(url, '/');
}

function validateUrl(text: string, disallowed: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (disallowed.includes(text)) {
    errors.invalid(at, text, `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(' ')}]`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') errors.invalid(at, text, 'URL scheme must be https');
  if (url?.username || url?.password) errors.invalid(at, text, 'URL must not contain a username or password');
  if (url?.search) errors.invalid(at, text, 'URL must not contain a query');
  if (url?.hash) errors.invalid(at, text, 'URL must not contain a fragment');
}

function validateAudiences(
  { audiences, audienceMatchPolicy = '' }: IssuerConfiguration,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const field = at.child('audiences');
  if (!audiences?.length) return void errors.required(field, `at least one ${field} is required`);
  for (const [i, audience] of audiences.entries()) {
    if (audience === '') errors.required(field.index(i));
    if (audiences.indexOf(audience) < i) errors.duplicate(field.index(i), audience);
  }
  const policy = at.child('audienceMatchPolicy');
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences');
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be empty or MatchAny for single audience');
}

function validateAuthority(pem: string, at: FieldPath, errors: FieldErrors): void {
  if (pem === '') return;
  try {
    new X509Certificate(pem);
  } catch {
    errors.invalid(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates');
  }
}

/** Egress selection is not supported. */
function validateEgress(type: string, at: FieldPath, errors: FieldErrors): void {
  if (type !== '') errors.invalid(at, type, 'egress selection is not configured');
}
