import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ServeOptions } from './options.ts';
import { parseServeOptions } from './parse.ts';
import { UsageError } from './usage-error.ts';

async function parse(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ServeOptions> {
  const options = await parseServeOptions(argv, env);
  if (options === 'help') throw new Error('help was not asked for');
  return options;
}

const folder = mkdtempSync(join(tmpdir(), 'tsukube-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileWith(content: string): string {
  const path = join(folder, `${files++}.yaml`);
  writeFileSync(path, content);
  return path;
}

const someFile = fileWith('');

describe('values', () => {
  it('has defaults that need nothing', async () => {
    expect(await parse([])).toMatchObject({
      bindAddress: '127.0.0.1',
      securePort: 6443,
      advertiseAddress: '127.0.0.1',
      storage: 'lmdb',
      dataDir: '.tsukube',
      certDir: '.tsukube/pki',
      kubeconfigOut: '.tsukube/admin.kubeconfig',
      etcdPrefix: '/registry',
      etcdCompactionInterval: 300_000,
      eventTtl: 3_600_000,
      requestTimeout: 60_000,
      minRequestTimeout: 1800,
      maxRequestsInflight: 400,
      maxMutatingRequestsInflight: 200,
      enableLogsHandler: true,
      logLevel: 'warn',
      loggingFormat: 'text',
      tlsCertFile: undefined,
    });
  });

  it.each([
    [['--secure-port', '0'], { securePort: 0 }],
    [['--secure-port=7443'], { securePort: 7443 }],
    [['--secure_port=7443'], { securePort: 7443 }],
    [['--secure-port=1', '--secure-port=2'], { securePort: 2 }],
    [['--enable-logs-handler=false'], { enableLogsHandler: false }],
    [['--enable-logs-handler', '--secure-port=1'], { enableLogsHandler: true, securePort: 1 }],
    [['--enable-logs-handler=F'], { enableLogsHandler: false }],
    [['--request-timeout=90s'], { requestTimeout: 90_000 }],
    [['--goaway-chance', '.001'], { goawayChance: 0.001 }],
    [['-v=4'], { v: 4, logLevel: 'debug' }],
    [['-v', '2'], { v: 2, logLevel: 'info' }],
    [['-v6'], { v: 6, logLevel: 'debug' }],
    [['--v=0'], { logLevel: 'warn' }],
    [['--v=9', '--log-level=error'], { logLevel: 'error' }],
    [['--etcd-servers=http://a:2379,https://b:2379'], { storage: 'etcd', etcdServers: ['http://a:2379', 'https://b:2379'] }],
    [['--etcd-servers', 'http://a:2379', '--etcd-servers', 'b:2379'], { etcdServers: ['http://a:2379', 'b:2379'] }],
    [
      ['--runtime-config=api/all=true,apps/v1=false', '--runtime-config', 'v1'],
      {
        runtimeConfig: { 'api/all': true, 'apps/v1': false, v1: true },
      },
    ],
    [['--client-ca-file='], { clientCaFile: undefined }],
    [['--token-auth-file', someFile], { tokenAuthFile: someFile }],
    [['--bind-address', '::1'], { bindAddress: '::1', advertiseAddress: '::1' }],
    [['--bind-address=0.0.0.0', '--advertise-address=10.0.0.7'], { advertiseAddress: '10.0.0.7' }],
    [['--data-dir=/d'], { certDir: '/d/pki', kubeconfigOut: '/d/admin.kubeconfig' }],
    [['--storage=memory'], { storage: 'memory', dataDir: '.tsukube' }],
    [['--profiling=false', '--storage-backend', 'etcd3'], { securePort: 6443 }],
  ])('%j', async (argv, expected) => expect(await parse(argv)).toMatchObject(expected));

  it('answers with help wherever it is asked for', async () => {
    expect(await parseServeOptions(['--secure-port=1', '--help'], {})).toBe('help');
    expect(await parseServeOptions(['-h'], {})).toBe('help');
  });
});

describe('precedence', () => {
  const file = fileWith('secure-port: 1\nbind-address: 127.0.0.2\nlog-level: info\n');

  it('is flag, environment, file, default', async () => {
    const env = { TSUKUBE_SECURE_PORT: '2', TSUKUBE_BIND_ADDRESS: '127.0.0.3' };
    expect(await parse(['--config', file, '--secure-port=3'], env)).toMatchObject({
      securePort: 3,
      bindAddress: '127.0.0.3',
      logLevel: 'info',
      loggingFormat: 'text',
    });
  });

  it('finds the file by the environment too', async () => {
    expect(await parse([], { TSUKUBE_CONFIG: file })).toMatchObject({ securePort: 1 });
  });

  it('leaves variables alone that Kubernetes sets for a service named tsukube', async () => {
    expect(await parse([], { TSUKUBE_PORT: 'tcp://10.0.0.1:6443', TSUKUBE_SERVICE_HOST: '10.0.0.1' })).toMatchObject({
      securePort: 6443,
    });
  });
});

describe('the file', () => {
  it('takes lists, maps, numbers and booleans', async () => {
    const path = fileWith(`
etcd-servers: [http://a:2379, http://b:2379]
runtime-config: { apps/v1: false, api/beta: true }
enable-logs-handler: no
secure-port: 0
request-timeout: 2m
`);
    expect(await parse(['--config', path])).toMatchObject({
      etcdServers: ['http://a:2379', 'http://b:2379'],
      runtimeConfig: { 'apps/v1': false, 'api/beta': true },
      enableLogsHandler: false,
      securePort: 0,
      requestTimeout: 120_000,
    });
  });

  it('may be empty', async () => expect(await parse(['--config', fileWith('')])).toMatchObject({ securePort: 6443 }));
});

describe('what is refused, in one line', () => {
  const bad = fileWith('secure-prot: 1');
  it.each<[string[], string]>([
    [['--secure-prt=1'], 'unknown flag --secure-prt, did you mean --secure-port?'],
    [['--nonsense'], 'unknown flag --nonsense'],
    [['--nonsense', 'x'], 'unknown flag --nonsense'],
    [['-x'], 'unknown flag -x'],
    [['--secure-port'], '--secure-port needs a value'],
    [['--config'], '--config needs a value'],
    [['--secure-port=x'], '--secure-port: "x" is not a whole number'],
    [['--secure-port='], '--secure-port: "" is not a whole number'],
    [['--secure-port=70000'], '--secure-port: 70000 must be between 0 and 65535'],
    [['--secure-port', '--v=1'], '--secure-port: "--v=1" is not a whole number'],
    [['--bind-address=localhost'], '--bind-address: "localhost" is not an IP address'],
    [['--enable-logs-handler=maybe'], '--enable-logs-handler: "maybe" is neither true nor false'],
    [['--enable-logs-handler', 'false'], 'unexpected argument "false"'],
    [['--request-timeout=60'], '--request-timeout: "60" is not a duration such as 90s, 5m or 1h30m'],
    [['--request-timeout=0'], '--request-timeout: 0 must be longer than 0'],
    [['--event-ttl=-1h'], '--event-ttl: -3600000 must not be negative'],
    [['--goaway-chance=0.5'], '--goaway-chance: 0.5 must be between 0 and 0.02'],
    [['--storage=sqlite'], '--storage: "sqlite" is not one of lmdb, memory, etcd'],
    [['--storage=etcd'], '--storage etcd needs --etcd-servers'],
    [['--storage=lmdb', '--etcd-servers=http://a:1'], '--storage lmdb contradicts --etcd-servers'],
    [['--etcd-servers=ftp://a'], '--etcd-servers: has "ftp://a", which is not of the form scheme://host:port'],
    [['--etcd-cafile', someFile], '--etcd-cafile has no meaning without --etcd-servers'],
    [['--etcd-username=u', '--etcd-servers=a:1'], '--etcd-username and --etcd-password-file must be given together'],
    [['--etcd-prefix=registry'], '--etcd-prefix: "registry" must start with one slash and have a name after it'],
    [['--tls-cert-file', someFile], '--tls-cert-file and --tls-private-key-file must be given together'],
    [['--client-ca-file=/does/not/exist'], '--client-ca-file: "/does/not/exist" cannot be read (ENOENT)'],
    [['--tls-min-version=1.2'], '--tls-min-version: "1.2" is not one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13'],
    [['--tls-cipher-suites=NULL'], '--tls-cipher-suites: has the unknown name NULL'],
    [['--runtime-config=apps=true'], '--runtime-config: has "apps", which names no API version'],
    [['--runtime-config=v1=si'], '--runtime-config: "v1=si" is neither true nor false'],
    [['--feature-gates=a=true'], '--feature-gates is a flag of kube-apiserver that is not supported yet'],
    [['--profiling'], '--profiling is a flag of kube-apiserver that is not supported yet'],
    [['--profiling=true'], '--profiling is a flag of kube-apiserver that is not supported yet with a value other than false'],
    [['--config', bad], `unknown flag ${bad}: secure-prot, did you mean --secure-port?`],
    [['--config', fileWith('- 1')], 'must hold a map of flag names and values'],
    [['--config', fileWith('secure-port:')], 'secure-port has no value'],
    [['--config', fileWith('secure-port: [1, 2]')], 'secure-port takes one value'],
    [['--secure-port=1', '--secure-port=x'], '--secure-port: "x" is not a whole number'],
    [['--config', '/does/not/exist'], '--config: cannot read /does/not/exist: ENOENT'],
    [['--config', fileWith('a: [')], '--config: cannot read'],
  ])('%j', async (argv, message) => {
    const error = await parseServeOptions(argv, {}).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('\n');
  });

  it('names the variable of the environment that is wrong', async () => {
    await expect(parse([], { TSUKUBE_SECURE_PORT: 'x' })).rejects.toThrow('TSUKUBE_SECURE_PORT: "x" is not a whole number');
  });
});
