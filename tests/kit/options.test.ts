import { startServer, TsukubeOptionError } from 'tsukube';
import { describe, expect, it } from 'vitest';

const start = startServer as (options?: unknown) => Promise<unknown>;

describe('options of startServer in plain JavaScript', () => {
  it.each<[string, unknown, string]>([
    ['', 'memory', 'startServer takes an object with options, not "memory"'],
    ['', null, 'startServer takes an object with options, not null'],
    ['securPort', { securPort: 0 }, 'unknown option securPort, did you mean securePort?'],
    ['secure-port', { 'secure-port': 0 }, 'unknown option secure-port, did you mean securePort?'],
    ['port', { port: 0 }, 'unknown option port, did you mean securePort?'],
    ['crd', { crd: [] }, 'unknown option crd, did you mean crds?'],
    ['xyzzyx', { xyzzyx: 1 }, 'unknown option xyzzyx'],
    ['securePort', { securePort: '6443' }, 'securePort must be a number, not "6443"'],
    ['securePort', { securePort: 70_000 }, 'securePort: 70000 must be between 0 and 65535'],
    ['requestTimeout', { requestTimeout: '1m' }, 'requestTimeout must be a number of milliseconds, not "1m"'],
    ['storage', { storage: 'sqlite' }, 'storage: "sqlite" is not one of lmdb, memory, etcd, postgres, mysql'],
    ['storage', { storage: 1 }, 'storage must be one of "lmdb", "memory", "etcd", "postgres", "mysql", not 1'],
    ['etcdServers', { etcdServers: 'http://a:1' }, 'etcdServers must be an array of strings, not "http://a:1"'],
    ['runtimeConfig', { runtimeConfig: { v1: 'true' } }, 'runtimeConfig must be an object of booleans, not {"v1":"true"}'],
    ['enableGarbageCollector', { enableGarbageCollector: 'no' }, 'enableGarbageCollector must be a boolean, not "no"'],
    ['bindAddress', { bindAddress: 'localhost' }, 'bindAddress: "localhost" is not an IP address'],
    ['crds', { crds: 7 }, 'crds must be a path, YAML text, an object or an array of these, not 7'],
    [
      'manifests',
      { manifests: ['a.yaml', null] },
      'manifests[1] must be a path, YAML text, an object or an array of these, not null',
    ],
    ['logger', { logger: console.log }, 'logger must be an object with functions such as error and warn, not a function'],
  ])('%s: %j', async (option, options, message) => {
    const error = await start(options).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(TsukubeOptionError);
    expect(error).toMatchObject({ name: 'TsukubeOptionError', option, message });
  });

  it('that conflict are named as options, not as flags', async () => {
    const error = await start({ tlsCertFile: 'package.json' }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(TsukubeOptionError);
    expect((error as Error).message).toContain('tlsCertFile');
    expect((error as Error).message).toContain('tlsPrivateKeyFile');
    expect((error as Error).message).not.toContain('--');
  });
});
