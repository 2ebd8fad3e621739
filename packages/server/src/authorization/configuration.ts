import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Logger } from '@tsukube/apiserver';
import {
  FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseYaml,
  path,
  textIn,
} from '@tsukube/machinery';
import { authorizationModes } from '../config/flags/authorization-flags.ts';
import { parseDuration } from '../config/flags/duration.ts';
import { defaultAuthorizationModes, type ServeOptions } from '../config/index.ts';
import { compileReviewMatchConditions } from './match-conditions.ts';

/** An authorizer in the chain, from flags or from a configuration file. */
export type AuthorizerConfiguration =
  | { readonly type: 'AlwaysAllow' | 'AlwaysDeny' | 'ABAC' | 'RBAC' | 'Node'; readonly name: string }
  | { readonly type: 'Webhook'; readonly name: string; readonly webhook: WebhookConfiguration };

export interface WebhookConfiguration {
  /** In milliseconds; 0 disables the cache. */
  readonly authorizedTtl: number;
  readonly unauthorizedTtl: number;
  readonly timeout: number;
  readonly subjectAccessReviewVersion: 'v1' | 'v1beta1';
  /** Version of the SubjectAccessReview that matchConditions see; absent without conditions. */
  readonly matchConditionVersion?: 'v1';
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  readonly kubeConfigFile: string;
  /** CEL expressions: the webhook is called only if all are true. */
  readonly matchConditions: readonly string[];
}

export function configurationOfFlags(options: ServeOptions): readonly AuthorizerConfiguration[] {
  const modes = options.authorizationMode.length > 0 ? options.authorizationMode : defaultAuthorizationModes;
  return modes.map((mode) => {
    if (mode !== 'Webhook') return { type: mode, name: mode.toLowerCase() } as AuthorizerConfiguration;
    return { type: mode, name: 'default', webhook: webhookOfFlags(options) };
  });
}

function webhookOfFlags(options: ServeOptions): WebhookConfiguration {
  return {
    authorizedTtl: options.authorizationWebhookCacheAuthorizedTtl,
    unauthorizedTtl: options.authorizationWebhookCacheUnauthorizedTtl,
    timeout: 30_000,
    subjectAccessReviewVersion: options.authorizationWebhookVersion ?? 'v1beta1',
    failurePolicy: 'NoOpinion',
    kubeConfigFile: options.authorizationWebhookConfigFile ?? '',
    matchConditions: [],
  };
}

const versions = ['apiserver.config.k8s.io/v1', 'apiserver.config.k8s.io/v1beta1', 'apiserver.config.k8s.io/v1alpha1'];

/** Reads an AuthorizationConfiguration. Throws an Error that lists all problems. */
export async function parseAuthorizationConfiguration(data: Buffer): Promise<readonly AuthorizerConfiguration[]> {
  const { value } = await parseYaml(data);
  if (!isObject(value)) throw new Error('failed to load AuthorizationConfiguration from file: it is not an object');
  const { kind, apiVersion } = value;
  if (kind !== 'AuthorizationConfiguration' || !versions.includes(String(apiVersion)))
    throw new Error(
      `failed to load AuthorizationConfiguration from file: expected AuthorizationConfiguration, got ${kind} in ${apiVersion}`,
    );
  const list = objectsIn(value, 'authorizers');
  const errors = new FieldErrors();
  if (list.length === 0) errors.required(path('authorizers'), 'at least one authorization mode must be defined');
  await validate(list, errors);
  if (errors.length > 0) throw new Error(errors.list.map(({ field, body }) => `${field}: ${body}`).join('; '));
  return list.map(configurationOf);
}

async function validate(list: readonly JsonObject[], errors: FieldErrors): Promise<void> {
  const [types, names] = [new Set<string>(), new Set<string>()];
  for (const [i, authorizer] of list.entries()) {
    const at = path('authorizers').index(i);
    if (!validateType(textIn(authorizer, 'type'), types, at.child('type'), errors)) continue;
    validateName(authorizer, names, at.child('name'), errors);
    if (authorizer.type !== 'Webhook') {
      if (isObject(authorizer.webhook))
        errors.invalid(at.child('webhook'), 'non-null', 'may only be specified when type=Webhook');
    } else if (isObject(authorizer.webhook)) await validateWebhook(authorizer.webhook, at, errors);
    else errors.required(at.child('webhook'), 'required when type=Webhook');
  }
}

function validateType(type: string, seen: Set<string>, at: FieldPath, errors: FieldErrors): boolean {
  if (type === '') errors.required(at);
  else if (!authorizationModes.some((mode) => mode === type)) errors.notSupported(at, type, [...authorizationModes].sort());
  else if (seen.has(type) && type !== 'Webhook') errors.duplicate(at, type);
  else {
    seen.add(type);
    return true;
  }
  return false;
}

function validateName(authorizer: JsonObject, seen: Set<string>, at: FieldPath, errors: FieldErrors): void {
  const [type, name] = [textIn(authorizer, 'type'), textIn(authorizer, 'name')];
  const problems = isDNS1123Subdomain(name);
  if (name === '') errors.required(at);
  else if (seen.has(name)) errors.duplicate(at, name);
  else if (problems.length > 0) errors.invalid(at, name, `authorizer name is invalid: ${problems.join(', ')}`);
  else if (type !== 'Webhook' && name !== type.toLowerCase())
    errors.invalid(at, name, `expected name ${type.toLowerCase()} for authorizer ${type}`);
  seen.add(name);
}

async function validateWebhook(webhook: JsonObject, at: FieldPath, errors: FieldErrors): Promise<void> {
  validateDuration(webhook, 'timeout', at, errors, 30_000);
  validateDuration(webhook, 'authorizedTTL', at, errors);
  validateDuration(webhook, 'unauthorizedTTL', at, errors);
  validateChoice(webhook, 'subjectAccessReviewVersion', ['v1', 'v1beta1'], at, errors);
  const conditions = conditionsOf(webhook);
  if (conditions.length > 0 || webhook.matchConditionSubjectAccessReviewVersion !== undefined)
    validateChoice(webhook, 'matchConditionSubjectAccessReviewVersion', ['v1'], at, errors);
  validateChoice(webhook, 'failurePolicy', ['NoOpinion', 'Deny'], at, errors);
  validateConnection(isObject(webhook.connectionInfo) ? webhook.connectionInfo : {}, at.child('connectionInfo'), errors);
  await validateConditions(conditions, at.child('matchConditions'), errors);
}

function validateDuration(
  webhook: JsonObject,
  field: string,
  at: FieldPath,
  errors: FieldErrors,
  max = Number.POSITIVE_INFINITY,
): void {
  const given = textIn(webhook, field);
  const milliseconds = durationOf(given);
  if (given === '' || milliseconds === 0) {
    // Kubernetes defaults these two.
    if (field === 'timeout' || given !== '') errors.required(at.child(field));
  } else if (milliseconds === undefined) errors.invalid(at.child(field), given, 'must be a duration');
  else if (milliseconds < 0 || milliseconds > max)
    errors.invalid(at.child(field), given, max === 30_000 ? 'must be > 0s and <= 30s' : 'must be > 0s');
}

function validateChoice(webhook: JsonObject, field: string, choices: string[], at: FieldPath, errors: FieldErrors): void {
  const given = textIn(webhook, field);
  if (given === '') errors.required(at.child(field));
  else if (!choices.includes(given)) errors.notSupported(at.child(field), given, choices);
}

function validateConnection(connection: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [type, file] = [textIn(connection, 'type'), textIn(connection, 'kubeConfigFile')];
  if (type !== 'KubeConfigFile') {
    if (type === '') errors.required(at.child('type'));
    else errors.notSupported(at.child('type'), type, ['KubeConfigFile']);
  } else if (file === '') errors.required(at.child('kubeConfigFile'));
  else if (!isAbsolute(file)) errors.invalid(at.child('kubeConfigFile'), file, 'must be an absolute path');
  else if (!statSync(file, { throwIfNoEntry: false })?.isFile())
    errors.invalid(at.child('kubeConfigFile'), file, 'must be a regular file');
}

const maxConditions = 64;

async function validateConditions(conditions: readonly string[], at: FieldPath, errors: FieldErrors): Promise<void> {
  if (conditions.length > maxConditions) return errors.tooMany(at, conditions.length, maxConditions);
  for (const [i, expression] of conditions.entries()) {
    const place = at.index(i).child('expression');
    if (expression.trim() === '') errors.required(place);
    else if (conditions.indexOf(expression) < i) errors.duplicate(place, expression);
    else
      await compileReviewMatchConditions([expression]).catch((error) =>
        errors.invalid(place, expression, (error as Error).message),
      );
  }
}

function conditionsOf(webhook: JsonObject): readonly string[] {
  return objectsIn(webhook, 'matchConditions').map((condition) => textIn(condition, 'expression'));
}

function configurationOf(authorizer: JsonObject): AuthorizerConfiguration {
  const [type, name] = [textIn(authorizer, 'type'), textIn(authorizer, 'name')];
  if (type !== 'Webhook') return { type, name } as AuthorizerConfiguration;
  return { type, name, webhook: webhookOf(objectIn(authorizer, 'webhook') ?? {}) };
}

function webhookOf(webhook: JsonObject): WebhookConfiguration {
  const ttl = (field: string, cached: string, fallback: string) =>
    webhook[cached] === false ? 0 : (durationOf(textIn(webhook, field) || fallback) ?? 0);
  return {
    authorizedTtl: ttl('authorizedTTL', 'cacheAuthorizedRequests', '5m'),
    unauthorizedTtl: ttl('unauthorizedTTL', 'cacheUnauthorizedRequests', '30s'),
    timeout: durationOf(textIn(webhook, 'timeout')) ?? 0,
    subjectAccessReviewVersion: textIn(webhook, 'subjectAccessReviewVersion') as 'v1' | 'v1beta1',
    failurePolicy: textIn(webhook, 'failurePolicy') as 'NoOpinion' | 'Deny',
    kubeConfigFile: textIn(objectIn(webhook, 'connectionInfo'), 'kubeConfigFile'),
    matchConditions: conditionsOf(webhook),
  };
}

function durationOf(given: string): number | undefined {
  return given === '' ? undefined : parseDuration(given);
}

const checkEveryMs = 10_000;

/**
 * Configures the authorizers from a file, and again when it changes. Rejects if the file is invalid at first; later an invalid
 * file changes nothing. Types other than Webhook cannot change.
 */
export async function followConfigurationFile(
  file: string,
  configure: (all: readonly AuthorizerConfiguration[]) => Promise<void>,
  logger: Logger,
  everyMs = checkEveryMs,
): Promise<() => void> {
  const { parseAuthorizationConfiguration } = await import('./configuration.ts');
  let last = readFileSync(file);
  const first = await parseAuthorizationConfiguration(last);
  const types = new Set(first.map(({ type }) => type).filter((type) => type !== 'Webhook'));
  await configure(first);

  const check = async (): Promise<void> => {
    const data = readFileSync(file);
    if (data.equals(last)) return;
    last = data;
    const next = await parseAuthorizationConfiguration(data);
    const missing = [...types].filter((type) => !next.some((one) => one.type === type));
    if (missing.length > 0) throw new Error(`missing required types: [${missing.sort().join(' ')}]`);
    await configure(next);
    logger.info('authorization configuration reloaded', { file });
  };
  const complain = (error: unknown) =>
    logger.error('authorization configuration could not be reloaded', { file, error: String(error) });
  const timer = setInterval(() => void check().catch(complain), everyMs).unref();
  return () => clearInterval(timer);
}
