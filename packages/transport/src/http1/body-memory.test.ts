import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import type { Answer } from '../http/answer.ts';
import { type Listening, serveHttp1 } from './testing/conversation.ts';

let listening: Listening | undefined;
afterEach(() => listening?.stop());

function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('bodies in chunks of one byte take memory proportional to their bytes', async () => {
  const bodyBytes = 256 * 1024;
  const connections = 8;
  const wholes: Buffer[] = [];
  listening = await serveHttp1(async (exchange): Promise<Answer> => {
    wholes.push(await exchange.body(1 << 20));
    return { kind: 'bytes', status: 200, type: 'text/plain', body: 'ok' };
  });
  const { sockets, open } = listening;
  const head = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunks = Buffer.from('1\r\nx\r\n'.repeat(bodyBytes));
  const clients = await Promise.all(Array.from({ length: connections }, () => open()));
  const before = liveBytes();
  for (const client of clients) client.send(head).socket.write(chunks);
  const received = () => sockets.filter(({ bytesRead }) => bytesRead === head.length + chunks.length).length;
  await expect.poll(received, { timeout: 30_000 }).toBe(connections);
  await expect.poll(() => liveBytes() - before, { timeout: 5000 }).toBeLessThan(8 * connections * bodyBytes);
  for (const client of clients) await client.send('0\r\n\r\n').until((text) => text.endsWith('ok'));
  expect(wholes.map(({ length }) => length)).toEqual(Array(connections).fill(bodyBytes));
}, 60_000);
