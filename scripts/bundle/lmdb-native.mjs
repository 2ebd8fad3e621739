import { createRequire } from 'node:module';

/**
 * Replaces the search for the native part of lmdb in the bundle, which reads folders and loads modules. Each platform has a
 * package with binaries for some versions of Node and, with Node-API, for all others.
 * @returns {unknown}
 */
export default function load() {
  const require = createRequire(import.meta.url);
  const { arch, platform, versions } = process;
  const name = `@lmdb/lmdb-${platform}-${arch}`;
  const builds = platform === 'linux' ? [`abi${versions.modules}.glibc`, 'napi.glibc', 'napi.musl'] : ['napi'];
  const errors = [];
  for (const build of builds) {
    try {
      return require(`${name}/node.${build}.node`);
    } catch (error) {
      errors.push(/** @type {Error} */ (error).message.split('\n')[0]);
    }
  }
  throw new Error(`storage lmdb needs the package ${name}, which cannot be loaded: ${errors.join('; ')}`);
}
