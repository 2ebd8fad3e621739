import type { Registry } from './prometheus/registry.ts';
import type { Counter } from './prometheus/series.ts';

export interface AuthenticationMetrics {
  succeeded(username: string): void;
  /** With a proof that is not valid, or with none where one is needed. */
  failed(result: 'error' | 'failure'): void;
}

/** What is measured of authentication, with kube-apiserver's names. Names of users are no labels: there is no end to them. */
export function authenticationMetrics(registry: Registry): AuthenticationMetrics {
  const users = registry.counter({
    name: 'authenticated_user_requests',
    help: '[ALPHA] Counter of authenticated requests broken out by username.',
    labels: ['username'],
  });
  const attempts = registry.counter({
    name: 'authentication_attempts',
    help: '[ALPHA] Counter of authenticated attempts.',
    labels: ['result'],
  });
  const byUser = remembered((username) => users.with({ username }));
  const byResult = remembered((result) => attempts.with({ result }));
  return {
    succeeded(username) {
      byUser(userKind(username)).increase();
      byResult('success').increase();
    },
    failed: (result) => byResult(result).increase(),
  };
}

/** A series is there once something was counted. */
function remembered(open: (label: string) => Counter): (label: string) => Counter {
  const known = new Map<string, Counter>();
  return (label) => {
    let counter = known.get(label);
    if (!counter) {
      counter = open(label);
      known.set(label, counter);
    }
    return counter;
  };
}

const named = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

function userKind(username: string): string {
  if (named.has(username)) return username;
  return username.includes('@') ? 'email_id' : 'other';
}
