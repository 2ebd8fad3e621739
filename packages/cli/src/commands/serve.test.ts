import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startFailure } from './serve.ts';

it.each([
  [new Error('two\nlines'), 'two lines'],
  ['text', 'text'],
  [new TypeError(''), 'TypeError'],
  [
    Object.assign(new Error('x'), { code: 'EACCES', syscall: 'listen', address: '127.0.0.1', port: 80 }),
    'no permission to listen on 127.0.0.1:80',
  ],
])('%s', (error, line) => expect(startFailure(error)).toContain(line));

it('names the address in use', async () => {
  const first = createServer();
  const port = await new Promise<number>((resolve) => {
    first.listen(0, '127.0.0.1', () => resolve((first.address() as { port: number }).port));
  });
  const error = await new Promise((resolve) => createServer().on('error', resolve).listen(port, '127.0.0.1'));
  first.close();
  expect(startFailure(error)).toBe(`127.0.0.1:${port} is in use by another program, choose another port with --secure-port`);
});
