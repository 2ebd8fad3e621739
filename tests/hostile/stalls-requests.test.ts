import { beforeAll, expect, it } from 'vitest';
import { createDefinition, definition } from '../support/definitions.ts';
import { isLong, showProgress } from '../support/progress.ts';
import { useServer } from '../support/server.ts';
import { keywordSchema, type LargeRequest, largeRequests, targets } from './corpus/index.ts';
import { holdOf, type LoopHold } from './event-loop.ts';
import { disproportion } from './proportion.ts';

const bounds = { briefMs: isLong ? 400 : 60, longestMs: 50 };

const t = useServer();
let customResources: string;

beforeAll(async () => {
  customResources = await createDefinition(
    t.client,
    definition('larges', { group: 'stalls.example.com', schema: keywordSchema }),
  );
  // OpenAPI documents are built on first request.
  await t.client.get('/openapi/v2');
  for (const [path, object] of targets) {
    const { status, text } = await t.client.send('POST', path, object);
    if (status !== 201) throw new Error(text);
  }
});

async function costOf({ method, path, body, type, headers }: LargeRequest, count: number): Promise<LoopHold | undefined> {
  const content = body?.(count);
  const payload = content === undefined || typeof content === 'string' ? content : JSON.stringify(content);
  const all = { ...headers?.(count), ...(type !== undefined && { 'content-type': type }) };
  const { result, hold } = await holdOf(() => t.client.send(method, path(count), payload, all));
  if (result.status >= 500) throw new Error(`${result.status}: ${result.text.slice(0, 300)}`);
  return result.status === 413 || result.status === 431 ? undefined : hold;
}

it('no patch, selector, header, body, schema or value takes disproportionate time', {
  timeout: isLong ? 7_200_000 : 300_000,
}, async () => {
  const complaints: string[] = [];
  const requests = largeRequests(customResources).filter(({ isElaborate }) => isLong || !isElaborate);
  let sent = 0;
  const stop = showProgress(() => `${sent} of ${requests.length} requests, ${complaints.length} complaints`);
  for (const request of requests) {
    sent++;
    const measure = (count: number) => costOf(request, count);
    const found = await disproportion(measure, isLong ? 4 * request.count : Math.ceil(request.count / 2), bounds).catch(
      (error: Error) => error.message,
    );
    if (found !== undefined) complaints.push(`${request.name}: ${found}`);
    if (found !== undefined && isLong) console.error(complaints.at(-1));
  }
  stop();
  expect(complaints).toEqual([]);
  expect(requests.length).toBeGreaterThan(isLong ? 300 : 150);
});
