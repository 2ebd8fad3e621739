import type { appsV1, coreV1, policyV1 } from '@tsukube/api/kinds';
import type { KubeObject } from '@tsukube/machinery';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { nameWebhooks } from './named-webhooks.ts';
import { mutate, validate } from './webhook.ts';

interface Widget {
  apiVersion: string;
  kind: string;
  metadata: { name?: string };
  spec: { size: number };
}

describe('the type of the object', () => {
  it('follows from the match', () => {
    mutate({ resource: 'pods', operations: ['CREATE'] }, ({ object, oldObject }) => {
      expectTypeOf(object).toEqualTypeOf<coreV1.Pod>();
      expectTypeOf(oldObject).toEqualTypeOf<coreV1.Pod | undefined>();
      object.spec.containers.push({ name: 'sidecar', image: 'busybox' });
    });
    validate({ resource: 'pods', subresource: 'eviction', operations: ['CREATE'] }, ({ object }) => {
      expectTypeOf(object).toEqualTypeOf<policyV1.Eviction>();
    });
    validate({ group: 'apps', version: 'v1', resource: ['deployments', 'daemonsets'], operations: ['*'] }, ({ object }) => {
      expectTypeOf(object).toEqualTypeOf<appsV1.Deployment | appsV1.DaemonSet | undefined>();
    });
    validate({ resource: 'pods', operations: ['DELETE'] }, ({ object, oldObject }) => {
      expectTypeOf(object).toEqualTypeOf<coreV1.Pod | undefined>();
      expectTypeOf(oldObject).toEqualTypeOf<coreV1.Pod | undefined>();
    });
    mutate({ resource: 'pods', operations: ['UPDATE'] }, async ({ object }) => ({ ...object, kind: 'Pod' }));
  });

  it('is that of any object for unknown resources, or given', () => {
    mutate({ group: 'example.com', resource: 'widgets', operations: ['CREATE'] }, ({ object }) => {
      expectTypeOf(object).toEqualTypeOf<KubeObject>();
    });
    mutate<Widget>({ group: 'example.com', resource: 'widgets', operations: ['CREATE'] }, ({ object, oldObject }) => {
      expectTypeOf(object).toEqualTypeOf<Widget>();
      expectTypeOf(oldObject).toEqualTypeOf<Widget | undefined>();
      object.spec.size += 1;
    });
  });

  it('is checked', () => {
    mutate({ resource: 'pods', operations: ['CREATE'] }, ({ object }) => {
      // @ts-expect-error: replicas is not a field of a pod
      object.spec.replicas = 1;
    });
    // @ts-expect-error: not an operation
    validate({ resource: 'pods', operations: ['PATCH'] }, () => {});
  });
});

describe('names', () => {
  const none = () => {};

  it('are those of the resources, and unique', () => {
    const webhooks = [
      mutate({ resource: 'pods', operations: ['CREATE'] }, none),
      mutate({ resource: 'pods', operations: ['UPDATE'] }, none),
      validate({ resource: 'pods', operations: ['CREATE'] }, none),
      validate({ resource: ['pods', 'services'], subresource: '*', operations: ['*'] }, none),
      validate({ name: 'policy.example.com', resource: '*', operations: ['*'] }, none),
      validate({ name: 'own', resource: '*', operations: ['*'] }, none),
    ];
    expect(nameWebhooks(webhooks, 'team').map(({ name, path }) => [name, path])).toEqual([
      ['pods.team.webhook', '/mutate/pods'],
      ['pods-2.team.webhook', '/mutate/pods-2'],
      ['pods.team.webhook', '/validate/pods'],
      ['pods-services-all.team.webhook', '/validate/pods-services-all'],
      ['policy.example.com', '/validate/policy.example.com'],
      ['own.team.webhook', '/validate/own'],
    ]);
  });

  it('that are given must not repeat', () => {
    const webhook = validate({ name: 'own', resource: 'pods', operations: ['*'] }, none);
    expect(() => nameWebhooks([webhook, webhook], 'team')).toThrow('there are two validating webhooks with the name own');
  });
});
