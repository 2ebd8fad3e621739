import { createRequire } from 'node:module';

/**
 * Stands in for LMDB's way to its native part in the bundle: that one reads folders and loads modules to find out what is
 * almost always the case.
 * @returns {unknown}
 */
export default function load() {
  const require = createRequire(import.meta.url);
  const { arch, platform, versions } = process;
  if (platform === 'linux') {
    try {
      return require(`@lmdb/lmdb-linux-${arch}/node.abi${versions.modules}.glibc.node`);
    } catch {
      // Another Node, another C library, or installed elsewhere.
    }
  }
  const lmdb = require.resolve('lmdb').replace(/dist[/\\]index\.cjs$/, '');
  return createRequire(lmdb)('node-gyp-build-optional-packages')(lmdb);
}
