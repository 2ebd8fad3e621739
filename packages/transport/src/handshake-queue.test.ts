import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { HandshakeQueue } from './handshake-queue.ts';

const iteration = () => new Promise((resolve) => setImmediate(resolve));

it('starts at once with few connections', () => {
  const begun: Socket[] = [];
  const queue = new HandshakeQueue((socket) => begun.push(socket));
  queue.add(new Socket());
  expect(begun).toHaveLength(1);
});

it('spreads many over iterations, in order, and skips closed connections', async () => {
  const begun: Socket[] = [];
  const queue = new HandshakeQueue((socket) => begun.push(socket));
  const sockets = Array.from({ length: 40 }, () => new Socket());
  for (const socket of sockets) queue.add(socket);
  const gone = sockets[30] as Socket;
  gone.destroy();
  expect(begun.length).toBeLessThan(10);
  await iteration();
  expect(begun.length).toBeLessThan(20);
  for (let i = 0; i < 20; i++) await iteration();
  expect(begun).toEqual(sockets.filter((socket) => socket !== gone));
});

it('closes connections beyond its limit', () => {
  const queue = new HandshakeQueue(() => {});
  const sockets = Array.from({ length: 4200 }, () => new Socket());
  for (const socket of sockets) queue.add(socket);
  expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(100);
});
