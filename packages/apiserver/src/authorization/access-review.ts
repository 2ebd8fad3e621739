import {
  BoundedCache,
  type FieldRequirement,
  isObject,
  type JsonObject,
  type LabelOperator,
  type LabelRequirement,
} from '@tsukube/machinery';
import type { AccessAttributes, Verdict } from './authorizer.ts';

/** The spec of a SubjectAccessReview (v1); empty fields are omitted. */
export function accessReviewSpec(access: AccessAttributes): JsonObject {
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

/** The verdict of an answered SubjectAccessReview. */
export function reviewVerdict({ status }: JsonObject): Verdict {
  const { allowed, denied, reason: given } = isObject(status) ? status : {};
  const reason = typeof given === 'string' ? given : '';
  if (allowed === true && denied === true)
    return { decision: 'deny', reason, error: 'webhook subject access review returned both allow and deny response' };
  if (denied === true) return { decision: 'deny', reason };
  return { decision: allowed === true ? 'allow' : 'no opinion', reason };
}

export interface CachedReviewsOptions {
  /** Sends the spec of a SubjectAccessReview. */
  readonly review: (spec: JsonObject) => Promise<Verdict>;
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
  /** The verdict if `review` rejects; not cached. */
  readonly onFailure: (error: unknown) => Verdict;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** Decisions on larger reviews are not cached. */
const maxCachedBytes = 10_000;

/** Caches the verdicts of reviews. Concurrent reviews of one access share one call. */
export function cachedReviews(options: CachedReviewsOptions): (spec: JsonObject) => Verdict | Promise<Verdict> {
  const decisions = new DecisionCache(options.allowedTtlMs, options.deniedTtlMs, options.now);
  const pending = new Map<string, Promise<Verdict>>();
  const ask = async (key: string, spec: JsonObject): Promise<Verdict> => {
    try {
      const verdict = await options.review(spec);
      if (key.length <= maxCachedBytes) decisions.add(key, verdict);
      return verdict;
    } catch (error) {
      return options.onFailure(error);
    } finally {
      pending.delete(key);
    }
  };
  return (spec) => {
    const key = JSON.stringify(spec);
    const known = decisions.get(key) ?? pending.get(key);
    if (known) return known;
    const asked = ask(key, spec);
    pending.set(key, asked);
    return asked;
  };
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
