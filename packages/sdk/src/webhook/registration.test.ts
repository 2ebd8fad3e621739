import type { JsonObject } from '@tsukube/machinery';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiAccess, ApiAccessRequest, ApiAnswer } from '../access/api-access.ts';
import type { WebhookTarget } from './configurations.ts';
import { nameWebhooks } from './named-webhooks.ts';
import { registrationOf } from './registration.ts';
import type { WebhookService } from './serve-options.ts';
import { mutate, validate } from './webhook.ts';

const url: WebhookTarget = { by: 'url', base: 'https://127.0.0.1:9443/' };
const none = () => {};
const pods = mutate(
  {
    resource: 'pods',
    operations: ['CREATE'],
    failurePolicy: 'Ignore',
    reinvocationPolicy: 'IfNeeded',
    timeoutSeconds: 5,
    namespaceSelector: { matchLabels: { a: 'b' } },
  },
  none,
);
const evictions = validate(
  { resource: 'pods', subresource: 'eviction', operations: ['CREATE'], matchConditions: [{ name: 'a', expression: 'true' }] },
  none,
);

/** Records requests; `answers` come first, then 200. */
function recordingAccess(answers: (number | Error)[] = []): ApiAccess & { readonly requests: ApiAccessRequest[] } {
  const requests: ApiAccessRequest[] = [];
  return {
    requests,
    async send(request): Promise<ApiAnswer> {
      requests.push(request);
      const answer = answers.shift() ?? 200;
      if (answer instanceof Error) throw answer;
      return { status: answer, body: answer < 400 ? {} : { message: 'refused' } };
    },
    close() {},
  };
}

function register(access: ApiAccess, webhooks = [pods, evictions], target = url, service?: WebhookService) {
  const content = () => ({ name: 'team', webhooks: nameWebhooks(webhooks, 'team'), target, ca: 'PEM' });
  return registrationOf({ access, content, service, port: 9443 });
}

describe('registration', () => {
  it('applies both configurations with their own field manager', async () => {
    const access = recordingAccess();
    await register(access).register();
    expect(access.requests.map(({ method, path, contentType }) => [method, path, contentType])).toEqual([
      [
        'PATCH',
        `${configurations}/mutatingwebhookconfigurations/team?fieldManager=team&force=true`,
        'application/apply-patch+yaml',
      ],
      [
        'PATCH',
        `${configurations}/validatingwebhookconfigurations/team?fieldManager=team&force=true`,
        'application/apply-patch+yaml',
      ],
    ]);
    expect(access.requests.map(({ body }) => (body as { webhooks: JsonObject[] }).webhooks[0])).toEqual([
      {
        name: 'pods.team.webhook',
        clientConfig: { url: 'https://127.0.0.1:9443/mutate/pods', caBundle: 'UEVN' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
        namespaceSelector: { matchLabels: { a: 'b' } },
        failurePolicy: 'Ignore',
        timeoutSeconds: 5,
        reinvocationPolicy: 'IfNeeded',
        sideEffects: 'None',
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
      {
        name: 'pods-eviction.team.webhook',
        clientConfig: { url: 'https://127.0.0.1:9443/validate/pods-eviction', caBundle: 'UEVN' },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods/eviction'], operations: ['CREATE'] }],
        matchConditions: [{ name: 'a', expression: 'true' }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1', 'v1beta1'],
      },
    ]);
  });

  it('deletes a configuration without webhooks', async () => {
    const access = recordingAccess([200, 404]);
    await register(access, [pods]).register();
    expect(access.requests.map(({ method, path }) => [method, path.split('?')[0]])).toEqual([
      ['PATCH', `${configurations}/mutatingwebhookconfigurations/team`],
      ['DELETE', `${configurations}/validatingwebhookconfigurations/team`],
    ]);
  });

  it('creates a Service and an EndpointSlice if asked to, and removes them', async () => {
    const access = recordingAccess();
    const service = { namespace: 'a', name: 'hook', create: true, address: '10.1.2.3' };
    const target: WebhookTarget = { by: 'service', namespace: 'a', name: 'hook', port: 443 };
    const registration = register(access, [pods], target, service);
    await registration.register();
    const [created, slice, configuration] = access.requests.map(({ body }) => body as JsonObject);
    expect(created?.spec).toEqual({ ports: [{ name: 'https', port: 443, targetPort: 'https', protocol: 'TCP' }] });
    expect(slice).toMatchObject({
      metadata: { name: 'hook-10-1-2-3-9443', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 9443 }],
    });
    expect(configuration?.webhooks).toMatchObject([
      { clientConfig: { service: { namespace: 'a', name: 'hook', port: 443, path: '/mutate/pods' }, caBundle: 'UEVN' } },
    ]);
    access.requests.length = 0;
    await registration.unregister();
    expect(access.requests.map(({ method, path }) => [method, path])).toEqual([
      ['DELETE', `${configurations}/mutatingwebhookconfigurations/team`],
      ['DELETE', `${configurations}/validatingwebhookconfigurations/team`],
      ['DELETE', '/apis/discovery.k8s.io/v1/namespaces/a/endpointslices/hook-10-1-2-3-9443'],
      ['DELETE', '/api/v1/namespaces/a/services/hook'],
    ]);
  });
});

describe('if the API server cannot be used', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('registration is retried with backoff', async () => {
    const access = recordingAccess([new Error('ECONNREFUSED'), 503, 429]);
    const registered = register(access).register();
    await vi.advanceTimersByTimeAsync(10_000);
    await registered;
    expect(access.requests).toHaveLength(5);
  });

  it('but not for ever', async () => {
    const access = recordingAccess(Array.from({ length: 100 }, () => new Error('ECONNREFUSED')));
    const registered = expect(register(access).register()).rejects.toThrow('ECONNREFUSED');
    await vi.advanceTimersByTimeAsync(60_000);
    await registered;
    expect(access.requests).toHaveLength(7);
  });

  it('and not if it refuses the configuration', async () => {
    const access = recordingAccess([403]);
    await expect(register(access).register()).rejects.toThrow(/mutatingwebhookconfigurations.*: refused/);
    expect(access.requests).toHaveLength(1);
  });
});

const configurations = '/apis/admissionregistration.k8s.io/v1';
