import { type AccessAttributes, type Authorizer, type Logger, noOpinion, noRules, type Verdict } from '@tsukube/apiserver';
import {
  BoundedCache,
  type FieldRequirement,
  isObject,
  type JsonObject,
  type LabelOperator,
  type LabelRequirement,
} from '@tsukube/machinery';
import {
  type KubeconfigWebhook,
  kubeconfigWebhook,
  readWebhookKubeconfig,
  retryWithBackoff,
} from '../files/webhook-kubeconfig.ts';
import type { WebhookConfiguration } from './configuration.ts';
import { compileReviewMatchConditions } from './match-conditions.ts';

export interface WebhookAuthorizer extends Authorizer {
  close(): void;
}

const firstDelayMs = 500;
/** Decisions on larger reviews are not cached. */
const maxCachedBytes = 10_000;

/** Authorizes by a webhook, with a decision cache. Rejects if its kubeconfig or its conditions are invalid. */
export async function webhookAuthorizer(
  name: string,
  configuration: WebhookConfiguration,
  logger: Logger,
): Promise<WebhookAuthorizer> {
  const client = kubeconfigWebhook(await readWebhookKubeconfig(configuration.kubeConfigFile), configuration.timeout);
  const matches = await compileReviewMatchConditions(configuration.matchConditions);
  const decisions = new DecisionCache(configuration.authorizedTtl, configuration.unauthorizedTtl);
  const failed = (error: unknown): Verdict => ({
    decision: configuration.failurePolicy === 'Deny' ? 'deny' : 'no opinion',
    reason: '',
    error: error instanceof Error ? error.message : String(error),
  });
  const ask = async (key: string, spec: JsonObject): Promise<Verdict> => {
    try {
      const verdict = await review(client, spec, configuration.subjectAccessReviewVersion);
      if (key.length <= maxCachedBytes) decisions.add(key, verdict);
      return verdict;
    } catch (error) {
      logger.error('authorization webhook failed', { name, error: String(error) });
      return failed(error);
    }
  };
  return {
    authorize(access) {
      const spec = reviewSpec(access);
      const matching = matches(spec);
      if (typeof matching === 'string') return failed(matching);
      if (!matching) return noOpinion;
      const key = JSON.stringify(spec);
      return decisions.get(key) ?? ask(key, spec);
    },
    rulesFor: () => ({ ...noRules, incomplete: true, error: 'webhook authorizer does not support user rule resolution' }),
    close: () => client.close(),
  };
}

async function review(client: KubeconfigWebhook, spec: JsonObject, version: 'v1' | 'v1beta1'): Promise<Verdict> {
  const body = JSON.stringify({
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: version === 'v1' ? spec : inOldVersion(spec),
    status: { allowed: false },
  });
  const answer = await retryWithBackoff({ initialMs: firstDelayMs }, async () => {
    const { status, body: text } = await client.post(body);
    if (status >= 200 && status < 300) return text;
    const error = new Error(`the webhook answered with the status ${status}`);
    if (status === 429 || status >= 500) throw error;
    return error;
  });
  if (answer instanceof Error) throw answer;
  return verdictOf(JSON.parse(answer) as JsonObject);
}

/** v1beta1 calls the groups `group`. */
function inOldVersion({ groups, ...spec }: JsonObject): JsonObject {
  return groups === undefined ? spec : { ...spec, group: groups };
}

function verdictOf({ status }: JsonObject): Verdict {
  const { allowed, denied, reason: given } = isObject(status) ? status : {};
  const reason = typeof given === 'string' ? given : '';
  if (allowed === true && denied === true)
    return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
  if (denied === true) return { decision: 'deny', reason };
  return { decision: allowed === true ? 'allow' : 'no opinion', reason };
}

/** The spec of a SubjectAccessReview (v1); empty fields are omitted. */
function reviewSpec(access: AccessAttributes): JsonObject {
  const { user, verb, path } = access;
  return {
    ...(access.isResource ? { resourceAttributes: resourceAttributes(access) } : { nonResourceAttributes: said({ path, verb }) }),
    ...said({ user: user.name }),
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(user.extra && Object.keys(user.extra).length > 0 && { extra: copied(user.extra) }),
    ...said({ uid: user.uid ?? '' }),
  };
}

function resourceAttributes(access: AccessAttributes): JsonObject {
  const { namespace, verb, group, version, resource, subresource, name } = access;
  const fields = (access.fieldSelector?.requirements ?? []).map(fieldRequirement);
  const labels = (access.labelSelector?.requirements ?? []).flatMap((one) => labelRequirement(one) ?? []);
  return {
    ...said({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

function said(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function copied(extra: Readonly<Record<string, readonly string[]>>): JsonObject {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}

function fieldRequirement({ field, operator, value }: FieldRequirement): JsonObject {
  return { key: field, operator: operator === '=' ? 'In' : 'NotIn', values: [value] };
}

const operators: Readonly<Partial<Record<LabelOperator, string>>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** Operators that SubjectAccessReview lacks are left out, which only widens the access that is reviewed. */
function labelRequirement({ key, operator, values }: LabelRequirement): JsonObject | undefined {
  const word = operators[operator];
  if (word === undefined) return undefined;
  return { key, operator: word, ...(values.length > 0 && { values: [...values] }) };
}

const maxDecisions = 8192;

interface CachedDecision {
  readonly verdict: Verdict;
  readonly until: number;
}

/** Caches the decisions of a webhook. */
export class DecisionCache {
  readonly #decisions = new BoundedCache<string, CachedDecision>({ entries: maxDecisions });
  readonly #allowedTtlMs: number;
  readonly #deniedTtlMs: number;
  readonly #now: () => number;

  constructor(allowedTtlMs: number, deniedTtlMs: number, now: () => number = () => performance.now()) {
    this.#allowedTtlMs = allowedTtlMs;
    this.#deniedTtlMs = deniedTtlMs;
    this.#now = now;
  }

  get(key: string): Verdict | undefined {
    const known = this.#decisions.get(key);
    return known && known.until > this.#now() ? known.verdict : undefined;
  }

  add(key: string, verdict: Verdict): void {
    const ttlMs = verdict.decision === 'allow' ? this.#allowedTtlMs : this.#deniedTtlMs;
    if (ttlMs > 0) this.#decisions.set(key, { verdict, until: this.#now() + ttlMs });
  }
}
