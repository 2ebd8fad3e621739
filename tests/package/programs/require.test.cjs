const assert = require('node:assert/strict');
const { test } = require('node:test');
const { startServer, TsukubeManifestError } = require('tsukube');

test('serves', async () => {
  const server = await startServer({ manifests: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } } });
  assert.equal((await server.fetch('/api/v1/namespaces/shop')).status, 200);
  await server.close();
});

test('shares its classes with the ES module', async () => {
  const module = await import('tsukube');
  assert.equal(module.TsukubeManifestError, TsukubeManifestError);
  await assert.rejects(startServer({ crds: './none/*.yaml' }), TsukubeManifestError);
});

test('keeps data in LMDB', async () => {
  const { mkdtempSync, rmSync } = require('node:fs');
  const dataDir = mkdtempSync(`${require('node:os').tmpdir()}/tsukube-lmdb-`);
  const server = await startServer({ storage: 'lmdb', dataDir: `${dataDir}/data` });
  assert.equal((await server.fetch('/readyz')).status, 200);
  await server.close();
  rmSync(dataDir, { recursive: true });
});
