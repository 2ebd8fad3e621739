import { describe, expect, it } from 'vitest';
import { defaultSigner } from './certificates.ts';

/** For system:node:n1 in system:nodes: plain, with DNS and IP names, with an e-mail address, and in another organization. */
const requests = {
  node: 'MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT1Rdo7xt/+27fTxicXTKCyoKx6sRkPRNY2ebDzzv6O/U3PSV6KuSLUDCQ90Adcz/Zb3XbIOlMlAspbG7ZDBNmRoAAwCgYIKoZIzj0EAwIDSQAwRgIhAI8rFun4CIzKJL1xhuvOXLWXpnH2e/GM19nxJ8uQIL0XAiEA40B7DenXn0PWCZBvqtXP9iXZrXlZf5UY8L98BROhbgE=',
  server:
    'MIIBEDCBuAIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9UXaO8bf/tu308YnF0ygsqCserEZD0TWNnmw887+jv1Nz0leirki1AwkPdAHXM/2W912yDpTJQLKWxu2QwTZkaAmMCQGCSqGSIb3DQEJDjEXMBUwEwYDVR0RBAwwCoICbjGHBAoAAAEwCgYIKoZIzj0EAwIDRwAwRAIgc4ukR8tYGRv2mVuL/9somFV+V2TxhMjjMPnekuf23+0CIDmB38fiPU3/U0RTClOYVvoHHD2q9HuWt8KAayBtmsBn',
  mail: 'MIIBDjCBtQIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9UXaO8bf/tu308YnF0ygsqCserEZD0TWNnmw887+jv1Nz0leirki1AwkPdAHXM/2W912yDpTJQLKWxu2QwTZkaAjMCEGCSqGSIb3DQEJDjEUMBIwEAYDVR0RBAkwB4EFYUBiLmMwCgYIKoZIzj0EAwIDSAAwRQIgbnTusZjvB913OGwqpnz0TfRhm6ECG0d57T7XCD8S9NgCIQDhQrPSmM9O3k1KK59kuGSEc2W0gg3l4OFhWMYnf0EhgQ==',
  other:
    'MIHlMIGMAgEAMCoxDzANBgNVBAoMBm90aGVyczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT1Rdo7xt/+27fTxicXTKCyoKx6sRkPRNY2ebDzzv6O/U3PSV6KuSLUDCQ90Adcz/Zb3XbIOlMlAspbG7ZDBNmRoAAwCgYIKoZIzj0EAwIDSAAwRQIhAM1S/1xU7br6UngCfrleeH9XpyVLCFyqayzLZ82KYKzrAiA4bxcfQcetKV6i4vcYy0bXDbn8m6IYDUrjknDLVWScbw==',
};

const client = ['digital signature', 'key encipherment', 'client auth'];
const server = ['digital signature', 'server auth'];

describe('defaultSigner', () => {
  it.each([
    ['node', client, 'kubernetes.io/kube-apiserver-client-kubelet'],
    ['node', ['digital signature', 'client auth'], 'kubernetes.io/kube-apiserver-client-kubelet'],
    ['node', ['client auth'], 'kubernetes.io/legacy-unknown'],
    ['node', [...client, 'server auth'], 'kubernetes.io/legacy-unknown'],
    ['node', server, 'kubernetes.io/legacy-unknown'],
    ['server', server, 'kubernetes.io/kubelet-serving'],
    ['server', client, 'kubernetes.io/legacy-unknown'],
    ['mail', server, 'kubernetes.io/legacy-unknown'],
    ['other', client, 'kubernetes.io/legacy-unknown'],
  ] as const)('of %s for %j is %s', (name, usages, signer) => {
    const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${requests[name]}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(defaultSigner(pem, usages)).toBe(signer);
  });

  it.each(['', 'no PEM', '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n'])(
    'of %j is unknown',
    (text) => {
      expect(defaultSigner(text, client)).toBe('kubernetes.io/legacy-unknown');
    },
  );
});
