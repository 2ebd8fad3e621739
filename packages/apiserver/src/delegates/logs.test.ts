import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BytesAnswer, Exchange } from '@tsukube/transport';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { logFiles } from './logs.ts';

let root: string;
let directory: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'tsukube-logs-'));
  directory = join(root, 'logs');
  mkdirSync(join(directory, 'folder'), { recursive: true });
  writeFileSync(join(root, 'secret'), 'secret');
  writeFileSync(join(directory, 'folder', 'inner.log'), 'inner');
  writeFileSync(join(directory, 'tsukube.log'), 'one\ntwo\n');
  writeFileSync(join(directory, 'a<b>&"c".log'), 'odd');
  writeFileSync(join(directory, 'big.log'), 'x'.repeat(200_000));
  symlinkSync(join(root, 'secret'), join(directory, 'link.log'));
  symlinkSync(root, join(directory, 'up'));
});
afterAll(() => rmSync(root, { recursive: true }));

async function ask(url: string, method = 'GET', from = directory): Promise<BytesAnswer | undefined> {
  return (await logFiles(from)(new IncomingRequest({ method, url } as Exchange, 0))) as BytesAnswer | undefined;
}

async function text(url: string): Promise<string> {
  const { body } = (await ask(url)) as BytesAnswer;
  if (typeof body === 'string') return body;
  return Buffer.concat([...(body as Iterable<Uint8Array>)]).toString();
}

describe('/logs', () => {
  it('redirects to /logs/', async () => {
    expect(await ask('/logs')).toMatchObject({ status: 301, headers: { location: '/logs/' } });
  });

  it('lists files as links, without folders', async () => {
    expect(await ask('/logs/')).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(await text('/logs/')).toBe(
      [
        '<!doctype html>',
        '<meta name="viewport" content="width=device-width">',
        '<pre>',
        '<a href="a%3Cb%3E%26%22c%22.log">a&lt;b&gt;&amp;&#34;c&#34;.log</a>',
        '<a href="big.log">big.log</a>',
        '<a href="tsukube.log">tsukube.log</a>',
        '</pre>',
        '',
      ].join('\n'),
    );
  });

  it('is empty before the first file is written', async () => {
    expect((await ask('/logs/', 'GET', join(root, 'none')))?.body).toContain('<pre>\n</pre>');
  });

  it('serves a file as text', async () => {
    expect(await ask('/logs/tsukube.log')).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    expect(await text('/logs/tsukube.log')).toBe('one\ntwo\n');
    expect(await text('/logs/a%3Cb%3E%26%22c%22.log')).toBe('odd');
  });

  it('serves a large file in chunks, up to its size when opened', async () => {
    const { body } = (await ask('/logs/big.log')) as BytesAnswer;
    const pieces = (body as Iterable<Uint8Array>)[Symbol.iterator]();
    expect(pieces.next().value).toHaveLength(64 * 1024);
    truncateSync(join(directory, 'big.log'), 300_000);
    let rest = 0;
    for (let step = pieces.next(); !step.done; step = pieces.next()) rest += step.value.length;
    expect(rest).toBe(200_000 - 64 * 1024);
  });

  it.each([
    '/logs/none.log',
    '/logs/folder',
    '/logs/folder/',
    '/logs/folder/inner.log',
    '/logs/.',
    '/logs/..',
    '/logs/../secret',
    '/logs/..%2Fsecret',
    '/logs/%2E%2E%2Fsecret',
    '/logs//secret',
    '/logs/link.log',
    '/logs/up',
    '/logs/up/secret',
    '/logs/..%5Csecret',
    '/logs/tsukube.log%00',
    `/logs/${'x'.repeat(5000)}`,
  ])('returns 404 for %s', async (url) => {
    expect(await ask(url)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  it('accepts GET and HEAD only', async () => {
    expect(await ask('/logs/tsukube.log', 'HEAD')).toMatchObject({ status: 200 });
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect(await ask('/logs/tsukube.log', method)).toMatchObject({ status: 405 });
  });

  it('claims no other path', async () => {
    expect(await ask('/logsmore')).toBeUndefined();
    expect(await ask('/api')).toBeUndefined();
  });
});
