import { startServer, type TestServer } from 'tsukube';
import { test as base, expect } from 'vitest';

const test = base.extend<{ server: TestServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest requires a destructured first argument
  server: async ({}, use) => {
    await using server = await startServer();
    await use(server);
  },
});

test('a fixture', async ({ server }) => {
  await using namespace = await server.namespace();
  expect((await server.fetch(`/api/v1/namespaces/${namespace}/configmaps`)).status).toBe(200);
});
