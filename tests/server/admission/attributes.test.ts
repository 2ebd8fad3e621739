import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../../support/client.ts';
import { until } from '../../support/definitions.ts';
import { type ServerUnderTest, useServer } from '../../support/server.ts';
import { type AdmittedCall, type AdmittedExchange, converse } from './admitted.ts';
import { type CaptureWebhook, captureAdmission } from './capture-webhook.ts';
import { recordingPlugin } from './recording-plugin.ts';
import { conversations, customResourceDefinition } from './requests.ts';

const file = fileURLToPath(new URL('recorded.json', import.meta.url));
const recorded: Record<string, AdmittedExchange[]> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
/** The kubeconfig of a kube-apiserver, to record its calls of webhooks instead of comparing. */
const peer = process.env.RECORD_FROM;
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
const titles = Object.keys(conversations);

/** Writes the recording anew. */
function recordFrom(kubeconfig: string): void {
  let client: Client;
  let webhook: CaptureWebhook;
  beforeAll(async () => {
    client = clientFor(readFileSync(kubeconfig, 'utf8'));
    await client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customResourceDefinition);
    webhook = await captureAdmission(client);
  }, 20_000);
  afterAll(async () => {
    writeFileSync(file, textOf(recorded));
    await webhook.close();
    client.close();
  });

  it.each(titles)('%s', { timeout: 60_000 }, async (title) => {
    const namespace = `admitted-${Date.now().toString(36)}`;
    recorded[title] = await converse(client, namespace, conversations[title] ?? [], webhook.taken);
    expect(recorded[title]?.flatMap(({ calls }) => calls)).not.toEqual([]);
  });
}

/** The calls of admission on this server are those of kube-apiserver. */
function compareWithRecording(taken: () => readonly AdmittedCall[], t: ServerUnderTest, prepare: () => Promise<void>): void {
  beforeAll(async () => {
    await t.client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', customResourceDefinition);
    await until(async () => (await t.client.get('/apis/admitted.example.com/v1/lamps')).status === 200);
    await prepare();
  }, 20_000);

  describe.each(titles)('%s', async (title) => {
    let exchanges: readonly AdmittedExchange[];
    beforeAll(async () => {
      exchanges = await converse(t.client, `admitted-${title}`, conversations[title] ?? [], taken);
    }, 20_000);

    const requests = (conversations[title] ?? []).map(([method, path], i) => [i, `${method} ${path}`] as const);
    it.each(requests)('%i %s', (i) => {
      expect(exchanges[i]).toEqual(recorded[title]?.[i]);
    });
  });
}

if (peer !== undefined) describe('recording from kube-apiserver', () => recordFrom(peer));
else {
  describe('attributes of admission, as in AdmissionReviews of kube-apiserver', () => {
    const plugin = recordingPlugin();
    compareWithRecording(plugin.taken, useServer({ ...settings, admissionPlugins: [plugin] }), async () => {});
  });

  describe('AdmissionReviews, as those of kube-apiserver', () => {
    const t = useServer(settings);
    let webhook: CaptureWebhook | undefined;
    afterAll(() => webhook?.close());
    compareWithRecording(
      () => webhook?.taken() ?? [],
      t,
      async () => {
        webhook = await captureAdmission(t.client);
      },
    );
  });
}

/** One line for each call. */
function textOf(all: Record<string, AdmittedExchange[]>): string {
  const exchange = ({ calls, ...rest }: AdmittedExchange) =>
    `${JSON.stringify(rest).slice(0, -1)},"calls":[${calls.map((call) => `\n  ${JSON.stringify(call)}`).join(',')}]}`;
  const rows = Object.entries(all).map(([title, each]) => `${JSON.stringify(title)}:[\n${each.map(exchange).join(',\n')}\n]`);
  return `{\n${rows.join(',\n')}\n}\n`;
}
