import type { Verdict } from '../authorization/authorizer.ts';
import type { Counter } from './counter.ts';
import type { Registry } from './registry.ts';

export interface AuthorizationMetrics {
  /** Counts what became of a request. */
  attempted(verdict: Verdict): void;
  /** Counts what one of the authorizers decided, if it did. */
  decided(type: string, name: string): (verdict: Verdict) => void;
}

/** What is measured of authorization, with kube-apiserver's names. */
export function authorizationMetrics(registry: Registry): AuthorizationMetrics {
  const attempts = registry.counter({
    name: 'authorization_attempts_total',
    help: "[ALPHA] Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ['result'],
  });
  const decisions = registry.counter({
    name: 'apiserver_authorization_decisions_total',
    help: '[ALPHA] Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.',
    labels: ['type', 'name', 'decision'],
  });
  const results = remembered((result) => attempts.with({ result }));
  return {
    attempted: (verdict) => results(resultOf(verdict)).increase(),
    decided(type, name) {
      const counters = remembered((decision) => decisions.with({ type, name, decision }));
      return ({ decision }) => {
        if (decision !== 'no opinion') counters(decision === 'allow' ? 'allowed' : 'denied').increase();
      };
    },
  };
}

function resultOf({ decision, error }: Verdict): string {
  if (decision === 'allow') return 'allowed';
  if (error !== undefined) return 'error';
  return decision === 'deny' ? 'denied' : 'no-opinion';
}

/** Counters appear when there is something to count. */
function remembered(make: (key: string) => Counter): (key: string) => Counter {
  const known = new Map<string, Counter>();
  return (key) => {
    let counter = known.get(key);
    if (!counter) {
      counter = make(key);
      known.set(key, counter);
    }
    return counter;
  };
}
