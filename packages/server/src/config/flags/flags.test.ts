import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serveHelp } from '../help.ts';
import { type Flag, flagName, variableName } from './flag.ts';
import { flags } from './flags.ts';
import { isServed } from './runtime-config.ts';
import { tlsSettings } from './tls-settings.ts';

const all = Object.entries(flags) as [string, Flag<unknown>][];
/** Name and type of each flag from `kube-apiserver --help`, including hidden ones. */
const kubeApiserverFlags = readFileSync(new URL('kube-apiserver-1.36.flags', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' ') as [string, string]);

describe('the flag table', () => {
  it('spells names like kube-apiserver', () => {
    expect(flagName('http2MaxStreamsPerConnection')).toBe('http2-max-streams-per-connection');
    expect(flagName('v')).toBe('v');
    expect(variableName('etcdCafile')).toBe('TSUKUBE_ETCD_CAFILE');
  });

  it('has exactly the flags of kube-apiserver 1.36', () => {
    const ours = all.filter(([, { origin }]) => origin === undefined).map(([option]) => flagName(option));
    expect(ours.sort()).toEqual(kubeApiserverFlags.map(([name]) => name));
  });

  it('has boolean flags exactly where kube-apiserver has', () => {
    const switches = all.filter(([, flag]) => flag.isSwitch && flag.origin === undefined).map(([option]) => flagName(option));
    expect(switches.sort()).toEqual(kubeApiserverFlags.flatMap(([name, type]) => (type === 'bool' ? [name] : [])));
  });

  it('shows every flag in the help text, within the line length', () => {
    const text = serveHelp();
    for (const option of Object.keys(flags)) expect(text).toContain(`--${flagName(option)}`);
    expect(text.split('\n').filter((line) => line.length > 118)).toEqual([]);
    expect(text).toContain('(default 1h)');
  });
});

describe('--runtime-config', () => {
  it.each([
    [{}, '', 'v1', true],
    [{ 'api/all': false }, 'apps', 'v1', false],
    [{ 'api/all': false, 'api/ga': true }, 'apps', 'v1', true],
    [{ 'api/all': false, 'apps/v1': true }, 'apps', 'v1', true],
    [{ 'api/beta': false }, 'apps', 'v1', true],
    [{ 'api/beta': false }, 'apps', 'v1beta1', false],
    [{ 'api/alpha': false }, 'apps', 'v1alpha1', false],
    [{ v1: false }, '', 'v1', false],
    [{ v1: false }, 'apps', 'v1', true],
    [{ 'api/legacy': false }, 'apps', 'v1beta1', true],
  ])('%j %s/%s → %s', (config, group, version, served) => expect(isServed(config, { group, version }, true)).toBe(served));

  it.each([
    [{}, true],
    [{ 'api/legacy': false }, false],
    [{ 'api/beta': false }, false],
    [{ 'api/legacy': true, 'api/beta': false }, true],
    [{ 'api/legacy': false, 'api/all': true }, false],
    [{ 'api/legacy': false, 'extensions/v1beta1': true }, true],
    [{ 'extensions/v1beta1': false }, false],
  ])('%j decides on a version that Kubernetes has removed: %s', (config, served) =>
    expect(isServed(config, { group: 'extensions', version: 'v1beta1', legacy: true }, true)).toBe(served),
  );

  it('keeps the defaults', () => expect(isServed({}, { group: 'apps', version: 'v1alpha1' }, false)).toBe(false));
});

describe('TLS settings', () => {
  it('are converted to options of node:tls', () => {
    const usual = tlsSettings({ tlsMinVersion: 'VersionTLS13', tlsCipherSuites: [], tlsCurvePreferences: [] });
    expect(usual.minVersion).toBe('TLSv1.3');
    expect(usual.ciphers).toMatch(/^TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-/);
    const { ciphers, ecdhCurve } = tlsSettings({
      tlsMinVersion: 'VersionTLS12',
      tlsCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
      tlsCurvePreferences: ['29', '23'],
    });
    expect(ciphers?.split(':')).toContain('ECDHE-RSA-AES128-GCM-SHA256');
    expect(ciphers?.split(':')).toContain('TLS_AES_128_GCM_SHA256');
    expect([usual.ecdhCurve, ecdhCurve]).toEqual([undefined, 'X25519:P-256']);
  });
});
