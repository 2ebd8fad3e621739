import type { Exchange } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { IncomingRequest, type User } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import { Registry } from '../metrics/prometheus/registry.ts';
import { type FlowRequest, oneSeat, seats, type WorkEstimate } from './flow.ts';
import { dealHand, flowHash } from './flow-classifier.ts';
import type { FlowRule, LevelConfig, SchemaConfig } from './flow-config.ts';
import { FlowControl } from './flow-control.ts';

const everything: Omit<FlowRule, 'subjects'> = {
  resourceRules: [{ verbs: ['*'], groups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
  pathRules: [{ verbs: ['*'], paths: ['*'] }],
};
const forGroup = (name: string): FlowRule => ({ subjects: [{ kind: 'Group', name }], ...everything });

const mandatory = {
  levels: [
    level('exempt', { response: { to: 'exempt' }, shares: 0 }),
    level('catch-all', { response: { to: 'reject' }, shares: 5 }),
  ],
  schemas: [schema('exempt', 'exempt', 1, [forGroup('system:masters')]), schema('catch-all', 'catch-all', 10_000, [])],
};

function level(name: string, more: Partial<LevelConfig>): LevelConfig {
  const response = { to: 'queue', queues: 8, handSize: 2, lengthLimit: 3 } as const;
  return { name, uid: `${name}-uid`, response, shares: 10, lendablePercent: 0, borrowingLimitPercent: undefined, ...more };
}

function schema(
  name: string,
  to: string,
  precedence: number,
  rules: readonly FlowRule[],
  by?: SchemaConfig['distinguisher'],
): SchemaConfig {
  return { name, uid: `${name}-uid`, level: to, precedence, distinguisher: by, rules };
}

const someone: User = { name: 'someone', groups: ['system:authenticated'] };

function playground(levels: readonly LevelConfig[], schemas: readonly SchemaConfig[], serverLimit = 15) {
  let now = 0;
  const control = new FlowControl({
    serverLimit,
    mandatory,
    metrics: new FlowControlMetrics(new Registry(), () => now),
    now: () => now,
  });
  control.configure(levels, schemas);
  const ask = (url: string, user: User = someone, method = 'GET') => {
    const request = new IncomingRequest({ method, url, header: () => undefined } as unknown as Exchange, 0);
    request.info = requestInfo(method, request.path, () => request.query);
    request.user = user;
    return request;
  };
  const enter = (user: User = someone, work: WorkEstimate = oneSeat, order: string[] = []) => {
    const request = ask('/api/v1/pods', user);
    const flow = control.classify(request);
    const entered = flow.level.queues.start(request, flow, work);
    if (entered) entered.decide = () => order.push(user.name);
    return entered;
  };
  const levelNamed = (name: string) => control.levels.find((one) => one.name === name) as (typeof control.levels)[number];
  return { control, ask, enter, levelNamed, pass: (seconds: number) => (now += seconds), finish };
}

function finish(request: FlowRequest | undefined): void {
  request?.flow.level.queues.finish(request);
}

describe('classification', () => {
  const nodes = schema('nodes', 'a', 100, [
    {
      subjects: [{ kind: 'ServiceAccount', namespace: 'kube-system', name: '*' }],
      resourceRules: [{ verbs: ['get'], groups: [''], resources: ['nodes/status'], namespaces: [], clusterScope: true }],
      pathRules: [{ verbs: ['get'], paths: ['/healthz', '/logs/*'] }],
    },
  ]);
  const rest = schema('rest', 'b', 200, [forGroup('system:authenticated')], 'ByUser');
  const { control, ask } = playground(
    [level('a', {}), level('b', {})],
    [rest, nodes, schema('lost', 'none', 50, [forGroup('*')])],
  );
  const account: User = { name: 'system:serviceaccount:kube-system:x', groups: ['system:authenticated'] };
  it.each<[string, string, User, string]>([
    ['by precedence', '/api/v1/nodes/n/status', account, 'nodes'],
    ['not another subresource', '/api/v1/nodes/n', account, 'rest'],
    ['not namespaced requests', '/api/v1/namespaces/x/nodes/n/status', account, 'rest'],
    ['a path', '/healthz', account, 'nodes'],
    ['below a path', '/healthz/etcd', account, 'nodes'],
    ['below a path with a star', '/logs/a', account, 'nodes'],
    ['not a path with the same prefix', '/healthzz', account, 'rest'],
    ['another account', '/healthz', { ...account, name: 'system:serviceaccount:kube-systems:x' }, 'rest'],
    ['administrators', '/api/v1/pods', { name: 'a', groups: ['system:masters'] }, 'exempt'],
    ['other users', '/api/v1/pods', { name: 'a', groups: [] }, 'catch-all'],
  ])('%s', (_title, url, user, name) => expect(control.classify(ask(url, user)).schema).toBe(name));

  it('gives the same flow for the same user, with the UIDs of schema and level', () => {
    const flow = control.classify(ask('/api/v1/pods'));
    expect(control.classify(ask('/api/v1/nodes'))).toBe(flow);
    expect(flow.distinguisher).toBe('someone');
    expect(flow.headers).toEqual({
      'x-kubernetes-pf-flowschema-uid': 'rest-uid',
      'x-kubernetes-pf-prioritylevel-uid': 'b-uid',
    });
  });

  it('applies a changed configuration', () => {
    const { control, ask } = playground([level('a', {})], [schema('s', 'a', 5, [forGroup('*')])]);
    expect(control.classify(ask('/api/v1/pods')).schema).toBe('s');
    control.configure([level('a', {})], []);
    expect(control.classify(ask('/api/v1/pods')).schema).toBe('catch-all');
  });
});

describe('shuffle sharding', () => {
  it('deals hands of distinct cards', () => {
    for (let i = 0; i < 200; i++) {
      const hand = dealHand(flowHash('schema', `user-${i}`), 16, 4);
      expect(new Set(hand).size).toBe(4);
      for (const card of hand) expect(card >= 0 && card < 16).toBe(true);
    }
  });
  it('deals every possible hand', () => {
    const hands = new Set<string>();
    for (let hash = 0n; hash < 24n; hash++) hands.add(dealHand(hash, 4, 3).join());
    expect(hands.size).toBe(24);
  });
});

describe('seats', () => {
  const all = [schema('s', 'a', 5, [forGroup('*')], 'ByUser')];

  it('are taken until none is free, then requests queue, then they are rejected', () => {
    const { enter, levelNamed } = playground([level('a', { shares: 10 })], all);
    expect(levelNamed('a').nominal).toBe(10);
    const { limit } = levelNamed('a');
    for (let i = 0; i < limit; i++) expect(enter()?.isExecuting).toBe(true);
    // A hand of two queues out of three.
    for (let i = 0; i < 6; i++) expect(enter()?.isExecuting).toBe(false);
    expect(enter()).toBeUndefined();
    expect(levelNamed('a').queues).toMatchObject({ waiting: 6, rejected: 1, executing: limit });
  });

  it('go to the next request in the queue when released', () => {
    const { enter, levelNamed, pass } = playground([level('a', { shares: 10 })], all);
    const served = Array.from({ length: levelNamed('a').limit }, () => enter());
    const waiting = enter();
    expect(waiting?.isExecuting).toBe(false);
    pass(0.01);
    finish(served[0]);
    expect(waiting?.isExecuting).toBe(true);
    for (const request of [...served.slice(1), waiting]) finish(request);
    expect(levelNamed('a').queues).toMatchObject({ waiting: 0, executing: 0, seatsInUse: 0, seatsWaiting: 0, isIdle: true });
  });

  it('are not affected by requests that time out', () => {
    const { enter, levelNamed } = playground([level('a', { shares: 10 })], all);
    const served = Array.from({ length: levelNamed('a').limit }, () => enter());
    const waiting = enter() as FlowRequest;
    expect(levelNamed('a').queues.cancel(waiting)).toBe(true);
    expect(levelNamed('a').queues.cancel(waiting)).toBe(false);
    for (const request of served) finish(request);
    expect(levelNamed('a').queues).toMatchObject({ waiting: 0, cancelled: 1, isIdle: true });
  });

  it('a wide request waits for all its seats, and one wider than the limit executes alone', () => {
    const { enter, levelNamed } = playground([level('a', { shares: 10 })], all);
    const { limit } = levelNamed('a');
    const first = enter();
    const wide = enter(someone, seats(limit + 5));
    expect(wide?.isExecuting).toBe(false);
    finish(first);
    expect(wide?.isExecuting).toBe(true);
    expect(enter()?.isExecuting).toBe(false);
  });

  it('are shared fairly between a busy flow and a quiet one', () => {
    const { enter, levelNamed, pass } = playground(
      [level('a', { shares: 10, response: { to: 'queue', queues: 64, handSize: 4, lengthLimit: 100 } })],
      all,
    );
    const order: string[] = [];
    const crowd: User = { name: 'crowd', groups: [] };
    const served = Array.from({ length: levelNamed('a').limit }, () => enter(crowd));
    const waiting = Array.from({ length: 200 }, () => enter(crowd, oneSeat, order));
    const lone = enter({ name: 'lone', groups: [] }, oneSeat, order);
    for (const request of [...served, ...waiting]) {
      pass(0.003);
      finish(request);
      if (lone?.isExecuting) break;
    }
    expect(order.indexOf('lone')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('lone')).toBeLessThan(20);
  });

  it('requests without a free seat are rejected if there are no queues', () => {
    const { enter, levelNamed } = playground([], []);
    const { limit } = levelNamed('catch-all');
    const served = Array.from({ length: limit }, () => enter());
    expect(enter()).toBeUndefined();
    finish(served[0]);
    expect(enter()?.isExecuting).toBe(true);
  });

  it('are unlimited for exempt requests', () => {
    const { enter } = playground([], []);
    for (let i = 0; i < 1000; i++) expect(enter({ name: 'admin', groups: ['system:masters'] })?.isExecuting).toBe(true);
  });
});

describe('borrowing', () => {
  const levels = [level('busy', { shares: 10, lendablePercent: 50 }), level('quiet', { shares: 10, lendablePercent: 80 })];
  const schemas = [schema('s', 'busy', 5, [forGroup('*')], 'ByUser')];

  it('moves unused seats to levels with demand', () => {
    const { control, enter, levelNamed, pass } = playground(levels, schemas, 250);
    expect(levelNamed('busy')).toMatchObject({ nominal: 100, lower: 50, upper: 350 });
    const served = Array.from({ length: 300 }, (_, i) => enter({ name: `user-${i}`, groups: [] }));
    for (let i = 0; i < 20; i++) {
      pass(10);
      control.adjust();
    }
    expect(levelNamed('busy').limit).toBeGreaterThan(150);
    expect(levelNamed('quiet').limit).toBeGreaterThanOrEqual(20);
    expect(levelNamed('quiet').limit).toBeLessThan(60);
    for (const request of served) if (request?.isExecuting) finish(request);
  });

  it('keeps a removed level until its requests are done', () => {
    const { control, enter, pass } = playground(levels, schemas, 250);
    const served = enter();
    control.configure([], []);
    expect(control.levels.map(({ name }) => name)).toContain('busy');
    finish(served);
    pass(10);
    control.adjust();
    expect(control.levels.map(({ name }) => name)).toEqual(['catch-all', 'exempt']);
  });
});
