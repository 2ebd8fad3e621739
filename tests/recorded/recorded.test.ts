import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { StartOptions } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdmissionWebhook, type Reviewer, startAdmissionWebhook } from '../support/admission-webhook.ts';
import { type Any, clientFor } from '../support/client.ts';
import { type ConversionWebhook, startConversionWebhook } from '../support/conversion-webhook.ts';
import { useServer } from '../support/server.ts';
import { type Conversations, hold, inOrderOfManagers, type RecordedAnswer, type StandIns } from './conversation.ts';

const folder = fileURLToPath(new URL('conversations/', import.meta.url));
const answersOf = (name: string) => fileURLToPath(new URL(`answers/${name}.json`, import.meta.url));
const names = readdirSync(folder).map((file) => file.replace('.ts', ''));
interface Recording {
  readonly default: Conversations;
  /** Options of the server, which the recorded kube-apiserver had as flags. */
  readonly options?: StartOptions;
  /** The function of a conversion webhook with the tokens CONVERSION_URL and CONVERSION_CA. */
  readonly convert?: (object: Any, apiVersion: string) => Any;
  /** The functions of an admission webhook with the tokens ADMISSION_URL and ADMISSION_CA, by path. */
  readonly reviewers?: Readonly<Record<string, Reviewer>>;
}
/** The kubeconfig of a kube-apiserver, to record its responses instead of comparing. */
const peer = process.env.RECORD_FROM;
const suffix = Date.now().toString(36);

describe.each(names)('recorded from kube-apiserver: %s', async (name) => {
  // The responses were recorded from a kube-apiserver without kube-controller-manager.
  const { default: conversations, convert, reviewers, options } = (await import(`./conversations/${name}.ts`)) as Recording;
  const t = useServer({ enableGarbageCollector: false, controllers: [], ...options });
  const recorded: Record<string, RecordedAnswer[]> = existsSync(answersOf(name))
    ? JSON.parse(readFileSync(answersOf(name), 'utf8'))
    : {};
  let webhook: ConversionWebhook | undefined;
  let admission: AdmissionWebhook | undefined;
  beforeAll(async () => {
    webhook = convert && (await startConversionWebhook(convert));
    admission = reviewers && (await startAdmissionWebhook(reviewers));
  });
  afterAll(() => Promise.all([webhook?.close(), admission?.close()]));

  it.each(Object.entries(conversations))('%s', { timeout: 60_000 }, async (title, steps) => {
    const namespace = `recorded-${suffix}-${name}-${title}`;
    const { url, caBundle } = webhook?.clientConfig() ?? {};
    const standIns: StandIns = {
      ...(url && caBundle && { CONVERSION_URL: url, CONVERSION_CA: caBundle }),
      ...(admission && { ADMISSION_URL: admission.url, ADMISSION_CA: admission.caBundle }),
    };
    if (peer !== undefined) {
      const client = clientFor(readFileSync(peer, 'utf8'));
      recorded[title] = await hold(client, namespace, steps, standIns);
      const text = Object.entries(recorded).map(
        ([key, answers]) => `${JSON.stringify(key)}:[\n${answers.map((answer) => JSON.stringify(answer)).join(',\n')}\n]`,
      );
      writeFileSync(answersOf(name), `{\n${text.join(',\n')}\n}\n`);
      return;
    }
    await withinSecond(async (attempt) => {
      const answers = await hold(t.client, `${namespace}${attempt}`, steps, standIns);
      for (const [i, answer] of answers.entries()) {
        const expected = recorded[title]?.[i] as RecordedAnswer;
        expect(inOrderOfManagers(answer), `step ${i}`).toEqual(inOrderOfManagers(expected));
      }
    });
  });
});

/** managedFields entries are ordered by seconds: retries a test that failed across the end of a second. */
async function withinSecond(test: (attempt: string) => Promise<void>): Promise<void> {
  const second = () => Math.floor(Date.now() / 1000);
  for (const attempt of ['', 'b', 'c', 'd']) {
    const start = second();
    try {
      await test(attempt);
      return;
    } catch (error) {
      if (second() === start || attempt === 'd') throw error;
    }
  }
}
