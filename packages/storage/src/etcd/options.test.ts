import { expect, it } from 'vitest';
import { parseEndpoint } from './options.ts';

it.each([
  ['http://127.0.0.1:2379', 'http://127.0.0.1:2379'],
  ['https://etcd-0.etcd:2379/', 'https://etcd-0.etcd:2379'],
  ['https://etcd-0.etcd', 'https://etcd-0.etcd:2379'],
  ['http://[::1]:4001', 'http://[::1]:4001'],
  ['http://[::1]', 'http://[::1]:2379'],
  ['localhost:2379', 'http://localhost:2379'],
])('reads the endpoint %s', (endpoint, url) => {
  expect(parseEndpoint(endpoint)).toBe(url);
});

it.each(['', 'ftp://a:1', 'http://', 'http://a:1/path', 'http://user@a:1'])('refuses the endpoint %j', (endpoint) => {
  expect(() => parseEndpoint(endpoint)).toThrow(TypeError);
});
