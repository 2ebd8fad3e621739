import type { Exchange } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { IncomingRequest, type User } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { sourceIps } from './audit-record.ts';
import { readAuditPolicy, ruleFor } from './policy.ts';

const user: User = { name: 'jane', groups: ['devs'] };

function levelOf(rule: Record<string, unknown>, url: string, who: User | undefined = user): string | undefined {
  const policy = readAuditPolicy({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    rules: [{ level: 'Request', ...rule }, { level: 'None' }],
  } as never);
  const request = new IncomingRequest({ method: 'GET', url, header: () => undefined } as unknown as Exchange, 0);
  request.info = requestInfo('GET', request.path, () => request.query);
  return ruleFor(policy, request, who)?.level;
}

describe('a rule matches', () => {
  const pod = '/api/v1/namespaces/a/pods/p';
  const resources = (more: object) => ({ resources: [{ group: '', ...more }] });
  it.each<[string, Record<string, unknown>, string, boolean]>([
    ['everything', {}, pod, true],
    ['a user', { users: ['jane'] }, pod, true],
    ['another user', { users: ['joe'] }, pod, false],
    ['a group', { userGroups: ['x', 'devs'] }, pod, true],
    ['a verb', { verbs: ['get'] }, pod, true],
    ['another verb', { verbs: ['list'] }, pod, false],
    ['a namespace', { namespaces: ['a'] }, pod, true],
    ['cluster-scoped objects', { namespaces: [''] }, '/api/v1/nodes', true],
    ['a namespace and not a path', { namespaces: ['a'] }, '/healthz', false],
    ['a group of resources', { resources: [{ group: '' }] }, pod, true],
    ['another group', { resources: [{ group: 'apps' }] }, pod, false],
    ['all groups', { resources: [{ group: '*', resources: ['pods'] }] }, pod, true],
    ['a resource', resources({ resources: ['pods'] }), pod, true],
    ['a resource, not its subresources', resources({ resources: ['pods'] }), `${pod}/log`, false],
    ['a subresource', resources({ resources: ['pods/log'] }), `${pod}/log`, true],
    ['all subresources of one', resources({ resources: ['pods/*'] }), `${pod}/log`, true],
    ['one subresource of all', resources({ resources: ['*/log'] }), `${pod}/log`, true],
    ['all resources', resources({ resources: ['*'] }), `${pod}/log`, true],
    ['a name', resources({ resources: ['pods'], resourceNames: ['p'] }), pod, true],
    ['another name', resources({ resources: ['pods'], resourceNames: ['q'] }), pod, false],
    ['a path', { nonResourceURLs: ['/healthz'] }, '/healthz', true],
    ['paths with a trailing star', { nonResourceURLs: ['/healthz*'] }, '/healthz/etcd', true],
    ['a path, not a resource', { nonResourceURLs: ['*'] }, pod, false],
  ])('%s', (_title, rule, url, matches) => expect(levelOf(rule, url)).toBe(matches ? 'Request' : undefined));

  it('no unauthenticated request if it names users', () => {
    const policy = readAuditPolicy({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [{ level: 'Request', users: ['jane'] }],
    });
    const request = new IncomingRequest({ method: 'GET', url: pod, header: () => undefined } as unknown as Exchange, 0);
    expect(ruleFor(policy, request, undefined)).toBeUndefined();
  });
});

describe('source IPs', () => {
  it.each<[string, Record<string, string>, string, string[]]>([
    ['the connection', {}, '10.0.0.9', ['10.0.0.9']],
    ['IPv4 over IPv6', {}, '::ffff:10.0.0.9', ['10.0.0.9']],
    ['proxies', { 'x-forwarded-for': '10.1.1.1, junk, 2001:db8::1' }, '10.0.0.9', ['10.1.1.1', '2001:db8::1', '10.0.0.9']],
    ['the same address in both headers', { 'x-forwarded-for': '10.1.1.1', 'x-real-ip': '10.1.1.1' }, '10.1.1.1', ['10.1.1.1']],
    ['another header', { 'x-real-ip': '10.1.1.1' }, '10.0.0.9', ['10.1.1.1', '10.0.0.9']],
  ])('%s', (_title, headers, remoteAddress, expected) => {
    const exchange = { header: (name: string) => headers[name], connection: { remoteAddress } } as unknown as Exchange;
    expect(sourceIps(exchange)).toEqual(expected);
  });
});
