import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/definitions.ts';
import { useServer } from '../../support/server.ts';
import { type AdmittedExchange, converse } from './admitted.ts';
import { type CaptureWebhook, captureAdmission } from './capture-webhook.ts';
import { conversations, customResourceDefinition } from './requests.ts';

const recorded: Record<string, AdmittedExchange[]> = JSON.parse(readFileSync(new URL('recorded.json', import.meta.url), 'utf8'));

/** The settings of the recorded server: without kube-controller-manager and some plugins. */
const settings = {
  enableGarbageCollector: false,
  controllers: [],
  disableAdmissionPlugins: [
    'ServiceAccount',
    'TaintNodesByCondition',
    'StorageObjectInUseProtection',
    'DefaultTolerationSeconds',
  ],
};

describe('AdmissionReviews sent to webhooks, as by kube-apiserver', () => {
  const t = useServer(settings);
  let webhook: CaptureWebhook;
  beforeAll(async () => {
    await t.client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customResourceDefinition);
    await until(async () => (await t.client.get('/apis/admitted.example.com/v1/lamps')).status === 200);
    webhook = await captureAdmission(t.client);
  });
  afterAll(() => webhook.close());

  it.each(Object.keys(conversations))('%s', async (title) => {
    const exchanges = await converse(t.client, `reviewed-${title}`, conversations[title] ?? [], webhook.taken);
    expect(exchanges).toEqual(recorded[title]);
  });
});
