import { request } from 'node:https';
import { defineResource, type RunningApiServer, StatusError, SubresourceResponse, serve } from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type Client, clientFor } from '../support/client.ts';

const boxes = defineResource({
  group: 'vm.example.com',
  version: 'v1',
  kind: 'Box',
  scope: 'Cluster',
  plural: 'boxes',
  schema: {
    type: 'object',
    properties: { size: { type: 'integer', default: 1 }, status: { type: 'object', properties: { phase: { type: 'string' } } } },
  },
  status: true,
  subresources: {
    open: {
      put: (call) =>
        call.updateStatus((box) => {
          box.status = { phase: 'Open' };
        }),
      get: async (call) => ({ open: (await call.object()).status?.phase === 'Open', by: call.user.name, q: call.query.get('q') }),
      post: async (call) => call.json(),
      delete: () => undefined,
    },
    grow: {
      put: (call) =>
        call.update((box) => {
          box.size += 1;
        }),
    },
    log: {
      get: async function* ({ query }) {
        for (let i = 0; i < Number(query.get('lines')); i++) yield `line ${i}\n`;
      },
    },
    icon: { get: () => new SubresourceResponse(Buffer.from([1, 2, 3]), { type: 'image/x-icon', headers: { 'x-kind': 'icon' } }) },
    broken: {
      get: () => {
        throw new Error('a secret of the author');
      },
      put: () => {
        throw StatusError.badRequest('not today');
      },
    },
    console: {
      webSocket: {
        protocols: ['v2.console', 'v1.console'],
        connect(socket, call, protocol) {
          socket.send(`hello ${call.user.name} by ${protocol || 'none'}`);
          socket.on('message', (data) => socket.send(`echo ${data}`));
        },
      },
      upgrade: {
        protocol: 'echo',
        connect({ socket, head }) {
          socket.write(head);
          socket.pipe(socket);
        },
      },
    },
    failing: { webSocket: { connect: () => Promise.reject(new Error('the console is broken')) } },
  },
});

const errors: string[] = [];
const logger = {
  error: (message: string, fields?: object) => void errors.push(`${message} ${JSON.stringify(fields)}`),
  warn: () => {},
  info: () => {},
  debug: () => {},
  enabled: () => true,
  child: () => logger,
};

let server: RunningApiServer;
let client: Client;
const api = '/apis/vm.example.com/v1/boxes';
beforeAll(async () => {
  server = await serve({ resources: [boxes], port: 0, logger });
  client = clientFor(server.kubeconfig);
  await client.send('POST', api, { apiVersion: 'vm.example.com/v1', kind: 'Box', metadata: { name: 'a' } });
});
afterAll(async () => {
  client.close();
  await server.close();
});

describe('a subresource', () => {
  it('acts on its object', async () => {
    const opened = await client.send('PUT', `${api}/a/open`);
    expect([opened.status, opened.body.status]).toEqual([200, { phase: 'Open' }]);
    expect((await client.get(`${api}/a/open?q=1`)).body).toEqual({ open: true, by: 'admin', q: '1' });
    expect((await client.send('PUT', `${api}/a/grow`)).body).toMatchObject({ size: 2, status: { phase: 'Open' } });
  });

  it('reads a body, and may answer with a Status', async () => {
    expect((await client.send('POST', `${api}/a/open`, { x: [1] })).body).toEqual({ x: [1] });
    expect((await client.send('POST', `${api}/a/open`, '{')).status).toBe(400);
    expect((await client.send('DELETE', `${api}/a/open`)).body).toMatchObject({ kind: 'Status', status: 'Success' });
    expect((await client.send('POST', `${api}/a/open`, `"${'x'.repeat(4 << 20)}"`)).status).toBe(413);
  });

  it.each([
    ['of an object that does not exist', 'PUT', `${api}/none/open`, 404],
    ['that does not exist', 'PUT', `${api}/a/none`, 404],
    ['by a method without a handler', 'PATCH', `${api}/a/open`, 405],
    ['without the required upgrade', 'GET', `${api}/a/console`, 400],
  ])('%s is refused', async (_, method, path, status) => {
    expect((await client.send(method, path)).status).toBe(status);
  });

  it('streams, and answers in any type', async () => {
    const log = await client.get(`${api}/a/log?lines=20000`);
    expect([log.text.split('\n').length, log.headers['content-type']]).toEqual([20_001, 'text/plain; charset=utf-8']);
    const icon = await client.get(`${api}/a/icon`);
    expect([icon.headers['content-type'], icon.headers['x-kind']]).toEqual(['image/x-icon', 'icon']);
  });

  it('is in discovery with the verbs of its methods', async () => {
    const { resources } = (await client.get('/apis/vm.example.com/v1')).body;
    const verbs = Object.fromEntries(resources.map(({ name, verbs }: { name: string; verbs: string[] }) => [name, verbs]));
    expect(verbs['boxes/open']).toEqual(['create', 'delete', 'get', 'update']);
    expect(verbs['boxes/console']).toEqual(['create', 'get']);
  });

  it('that throws is a 500 without its message, which is logged', async () => {
    const { status, text } = await client.get(`${api}/a/broken`);
    expect([status, text.includes('secret')]).toEqual([500, false]);
    expect(errors.join()).toContain('a secret of the author');
    expect((await client.send('PUT', `${api}/a/broken`)).body.message).toBe('not today');
    expect((await client.get(`${api}/a`)).status).toBe(200);
  });
});

describe('an upgrade', () => {
  const open = (path: string, protocols: string[] = []) =>
    new WebSocket(`${client.url.replace('https', 'wss')}${api}${path}`, protocols, { ...client.tls });
  const message = (socket: WebSocket) =>
    new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));

  it.each([
    [['v1.console'], 'v1.console'],
    [['v1.console', 'v2.console'], 'v2.console'],
    [[], 'none'],
  ])('to a WebSocket with the subprotocols %s takes %s', async (protocols, taken) => {
    const socket = open('/a/console', protocols);
    expect(await message(socket)).toBe(`hello admin by ${taken}`);
    socket.send('x');
    expect(await message(socket)).toBe('echo x');
    socket.close();
  });

  it('to an unknown subprotocol is refused', async () => {
    const socket = open('/a/console', ['v9.console']);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('400');
  });

  it('whose handler fails is closed, and logged', async () => {
    const socket = open('/a/failing');
    const code = await new Promise<number>((resolve) => socket.once('close', resolve));
    expect(code).toBe(1011);
    expect(errors.join()).toContain('the console is broken');
  });

  it('to another protocol gives the handler the connection', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      const sent = request(`${client.url}${api}/a/console`, {
        headers: { connection: 'Upgrade', upgrade: 'echo' },
        ...client.tls,
      });
      sent.on('upgrade', (_, socket) => {
        socket.once('data', (data: Buffer) => {
          resolve(data.toString());
          socket.destroy();
        });
        socket.write('hello');
      });
      sent.on('error', reject);
      sent.end();
    });
    expect(answer).toBe('hello');
  });
});
