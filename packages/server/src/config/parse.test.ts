import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completeOptions } from './complete.ts';
import type { ServeOptions } from './flags/options.ts';
import { UsageError } from './flags/usage-error.ts';
import { parseServeOptions } from './parse.ts';
import { flagsWithoutEffect } from './values.ts';

async function parse(argv: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<ServeOptions> {
  const options = await parseServeOptions(argv, env);
  if (typeof options === 'string') throw new Error('help was not requested');
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
  it('has defaults for everything', async () => {
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
      enableLogsHandler: false,
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
    [['--controllers=*,-garbagecollector,job'], { controllers: ['*', '-garbage-collector-controller', 'job-controller'] }],
    [['--controllers='], { controllers: [] }],
    [['--controllers=-*'], { controllers: ['-*'] }],
    [['--client-ca-file='], { clientCaFile: undefined }],
    [['--token-auth-file', someFile], { tokenAuthFile: someFile }],
    [['--bind-address', '::1'], { bindAddress: '::1', advertiseAddress: '::1' }],
    [['--bind-address=0.0.0.0', '--advertise-address=10.0.0.7'], { advertiseAddress: '10.0.0.7' }],
    [['--data-dir=/d'], { certDir: '/d/pki', kubeconfigOut: '/d/admin.kubeconfig' }],
    [['--storage=memory'], { storage: 'memory', dataDir: '.tsukube' }],
    [['--profiling=false', '--storage-backend', 'etcd3'], { securePort: 6443 }],
  ])('%j', async (argv, expected) => expect(await parse(argv)).toMatchObject(expected));

  it('answers --help anywhere on the command line', async () => {
    expect(await parseServeOptions(['--secure-port=1', '--help'], {})).toBe('help');
    expect(await parseServeOptions(['-h'], {})).toBe('help');
    expect(await parseServeOptions(['--version'], {})).toBe('version');
    expect(await parse(['--version=false'])).toMatchObject({ securePort: 6443 });
  });
});

describe('flags of kube-apiserver without effect', () => {
  const existing = { controllers: ['namespace-controller'], admissionPlugins: ['Priority'] };

  it('are accepted, and listed once if set to another value', async () => {
    const argv = [
      '--allow-privileged=false',
      '--feature-gates=PodsAPI=true,kube:AllAlpha=false',
      '--watch-cache-sizes=pods#100',
      '--kubelet-timeout=7s',
    ];
    expect(flagsWithoutEffect(await parse(argv), existing)).toEqual([
      '--allow-privileged',
      '--feature-gates',
      '--kubelet-timeout',
      '--watch-cache-sizes',
    ]);
  });

  it('are not listed if set to the actual behaviour', async () => {
    const argv = ['--allow-privileged', '--profiling=false', '--storage-backend=etcd3', '--watch-cache=true', '--vmodule='];
    expect(flagsWithoutEffect(await parse(argv), existing)).toEqual([]);
  });

  it('are listed with unknown controllers and admission plugins', async () => {
    const argv = ['--controllers=*,job,namespace,-cronjob', '--enable-admission-plugins=NodeRestriction,Priority'];
    expect(flagsWithoutEffect(await parse(argv), existing)).toEqual([
      '--controllers=job-controller',
      '--enable-admission-plugins=NodeRestriction',
    ]);
  });

  it('include all flags of envtest', async () => {
    const argv = [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      '--cert-dir=/c',
      `--client-ca-file=${someFile}`,
      '--disable-admission-plugins=ServiceAccount',
      '--etcd-servers=http://127.0.0.1:2379',
      '--secure-port=7443',
      '--service-account-issuer=https://127.0.0.1:7443/',
      `--service-account-key-file=${someFile}`,
      `--service-account-signing-key-file=${someFile}`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ];
    expect(await parse(argv)).toMatchObject({ disableAdmissionPlugins: ['ServiceAccount'], allowPrivileged: true });
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

  it('finds the file by an environment variable', async () => {
    expect(await parse([], { TSUKUBE_CONFIG: file })).toMatchObject({ securePort: 1 });
  });

  it('ignores the variables of a Service named tsukube', async () => {
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

describe('invalid settings, in one line', () => {
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
    [['--storage=sqlite'], '--storage: "sqlite" is not one of lmdb, memory, etcd, postgres, mysql'],
    [['--storage=postgres'], '--storage postgres needs --storage-dsn or --storage-dsn-file'],
    [['--storage-dsn=mysql://a/b'], '--storage-dsn requires --storage postgres or --storage mysql'],
    [['--storage=etcd'], '--storage etcd needs --etcd-servers'],
    [['--storage=lmdb', '--etcd-servers=http://a:1'], '--storage lmdb contradicts --etcd-servers'],
    [['--etcd-servers=ftp://a'], '--etcd-servers: has "ftp://a", which is not of the form scheme://host:port'],
    [['--etcd-cafile', someFile], '--etcd-cafile requires --etcd-servers'],
    [['--etcd-username=u', '--etcd-servers=a:1'], '--etcd-username and --etcd-password-file must be given together'],
    [['--etcd-prefix=registry'], '--etcd-prefix: "registry" must start with one slash and have a name after it'],
    [['--tls-cert-file', someFile], '--tls-cert-file and --tls-private-key-file must be given together'],
    [['--client-ca-file=/does/not/exist'], '--client-ca-file: "/does/not/exist" cannot be read (ENOENT)'],
    [['--tls-min-version=1.2'], '--tls-min-version: "1.2" is not one of VersionTLS10, VersionTLS11, VersionTLS12, VersionTLS13'],
    [['--tls-cipher-suites=NULL'], '--tls-cipher-suites: has the unknown name NULL'],
    [['--runtime-config=apps=true'], '--runtime-config: has "apps", which names no API version'],
    [['--runtime-config=v1=si'], '--runtime-config: "v1=si" is neither true nor false'],
    [['--feature-gates=Foo=true'], '--feature-gates: unrecognized feature gate: Foo'],
    [['--feature-gates=PodAPI=true'], 'unrecognized feature gate: PodAPI, did you mean PodsAPI?'],
    [
      ['--feature-gates=SidecarContainers=false'],
      'cannot set feature gate SidecarContainers to false, feature is locked to true',
    ],
    [
      ['--feature-gates=GitRepoVolumeDriver=true'],
      'cannot set feature gate GitRepoVolumeDriver to true, feature is locked to false',
    ],
    [['--feature-gates=PodsAPI'], 'missing bool value for PodsAPI'],
    [['--feature-gates=PodsAPI=si'], 'invalid value of PodsAPI=si'],
    [['--feature-gates=wardle:PodsAPI=true'], 'names the unknown component "wardle"'],
    [['--enable-admission-plugins=Foo'], '--enable-admission-plugins: plugin "Foo" is unknown'],
    [['--disable-admission-plugins=ServiceAcount'], 'plugin "ServiceAcount" is unknown, did you mean ServiceAccount?'],
    [
      ['--enable-admission-plugins=Priority', '--disable-admission-plugins=Priority'],
      '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
    [['--admission-control=Priority', '--enable-admission-plugins=RuntimeClass'], 'flags are mutually exclusive'],
    [['--controllers=*,-garbage'], '--controllers: "garbage" is not in the list of known controllers'],
    [['--controllers=namespaces'], 'is not in the list of known controllers, did you mean namespace?'],
    [['--profiling=perhaps'], '--profiling: "perhaps" is neither true nor false'],
    [['--kubelet-timeout=5'], '--kubelet-timeout: "5" is not a duration'],
    [['--vmodule=abc'], '--vmodule: "abc" does not have the pattern=N format'],
    [['--emulated-version=1.20'], 'has "1.20", which is not between 1.33 and 1.36'],
    [['--show-hidden-metrics-for-version=1.20'], 'must be omitted or have the value 1.35'],
    [['--watch-cache-sizes=pods'], 'has "pods", which is not of the form resource[.group]#size'],
    [['--storage-backend=etcd2'], '--storage-backend: "etcd2" is not one of etcd3'],
    [['--endpoint-reconciler-type=master-count'], '--endpoint-reconciler-type: "master-count" is not one of lease, none'],
    [
      ['--encryption-provider-config-automatic-reload'],
      '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config',
    ],
    [['--etcd-servers-overrides=/pods#http://a:1'], 'is not supported yet: all objects would be stored on --etcd-servers'],
    [['--service-account-signing-endpoint=/s'], 'is not supported yet: tokens would be signed with another key'],
    [['--version=v1.2.3'], '--version: "v1.2.3" is not one of true, false, raw'],
    [['--config', bad], `unknown flag ${bad}: secure-prot, did you mean --secure-port?`],
    [['--config', fileWith('- 1')], 'must contain a map of flag names and values'],
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

  it('names the invalid environment variable', async () => {
    await expect(parse([], { TSUKUBE_SECURE_PORT: 'x' })).rejects.toThrow('TSUKUBE_SECURE_PORT: "x" is not a whole number');
  });
});

describe('options of a library user', () => {
  it('use no disk for a server in memory', () => {
    const options = completeOptions({ storage: 'memory', securePort: 0 });
    expect(options).toMatchObject({ storage: 'memory', dataDir: undefined, certDir: undefined, kubeconfigOut: undefined });
  });

  it('use an RSA client key with a cert dir, and ECDSA without', () => {
    expect(completeOptions({ storage: 'memory' }).clientKeyAlgorithm).toBe('ecdsa');
    expect(completeOptions({}).clientKeyAlgorithm).toBe('rsa');
    expect(completeOptions({ storage: 'memory', clientKeyAlgorithm: 'rsa' }).clientKeyAlgorithm).toBe('rsa');
  });

  it('treat undefined as not given', () => {
    expect(completeOptions({ securePort: undefined, storage: undefined })).toMatchObject({ securePort: 6443, storage: 'lmdb' });
  });

  it('can be completed twice', () => {
    const options = completeOptions({ storage: 'memory', v: 4 });
    expect(completeOptions(options)).toEqual(options);
  });

  it('are checked like flags', () => {
    expect(() => completeOptions({ securePort: 1.5 })).toThrow('--secure-port: 1.5 is not a whole number');
    expect(() => completeOptions({ port: 1 } as never)).toThrow('unknown option port');
  });

  it('advertise a reachable address when bound to all interfaces', () => {
    expect(completeOptions({ bindAddress: '0.0.0.0' }).advertiseAddress).not.toBe('0.0.0.0');
    expect(completeOptions({ bindAddress: '::' }).advertiseAddress).not.toBe('::');
  });
});
