import { readFileSync } from 'node:fs';
import { goDurationMs } from '@tsukube/sdk';
import { Command, InvalidArgumentError } from 'commander';
import { defaultAddressTypes } from './kubelet/kubelet-address.ts';
import type { MetricsServerOptions } from './metrics-server.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly certDir?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly register: boolean;
  readonly service: { readonly namespace: string; readonly name: string };
  readonly metricResolution: number;
  readonly nodeSelector?: string;
  readonly kubeletPort: number;
  readonly kubeletUseNodeStatusPort: boolean;
  readonly kubeletPreferredAddressTypes: readonly string[];
  readonly kubeletInsecureTls: boolean;
  readonly kubeletCertificateAuthority?: string;
  readonly kubeletClientCertificate?: string;
  readonly kubeletClientKey?: string;
  readonly kubeletRequestTimeout: number;
  readonly deprecatedKubeletCompletelyInsecure: boolean;
}

const minResolutionMs = 1_000;

/** Flags have the names and meanings of metrics-server's where those exist. */
export function metricsServerCommand(): Command {
  return new Command('tsukube-metrics-server')
    .description('Serves metrics.k8s.io: CPU and memory of nodes and pods, scraped from the kubelets of a cluster.')
    .version('0.1.0')
    .option('--kubeconfig <file>', 'the API server; by default $KUBECONFIG, the service account of the pod, or ~/.kube/config')
    .option('--bind-address <address>', 'address to serve on', '0.0.0.0')
    .option('--secure-port <port>', 'port to serve on, 0 for any', port, 4443)
    .option('--cert-dir <folder>', 'folder of the own CA and serving certificate; in memory by default')
    .option('--tls-cert-file <file>', 'serving certificate, with --tls-private-key-file')
    .option('--tls-private-key-file <file>', 'key of --tls-cert-file')
    .option('--no-register', 'do not create the Service, EndpointSlice and APIService that lead to this process')
    .option('--service <namespace/name>', 'the Service to register', service, {
      namespace: 'kube-system',
      name: 'metrics-server',
    })
    .option('--metric-resolution <duration>', 'time between scrapes', resolution, 15_000)
    .option('-l, --node-selector <selector>', 'labels of the Nodes to scrape')
    .option('--kubelet-port <port>', 'port of kubelets whose Node names none', port, 10250)
    .option('--kubelet-use-node-status-port [boolean]', 'use the port that the status of the Node names', boolean, true)
    .option(
      '--kubelet-preferred-address-types <types>',
      'types of Node addresses, in order of preference',
      (value) => value.split(','),
      [...defaultAddressTypes],
    )
    .option('--kubelet-insecure-tls [boolean]', 'do not verify the certificates of kubelets', boolean, false)
    .option('--kubelet-certificate-authority <file>', 'CA of the kubelets; by default the one of the kubeconfig')
    .option('--kubelet-client-certificate <file>', 'client certificate for kubelets; by default the one of the kubeconfig')
    .option('--kubelet-client-key <file>', 'key of --kubelet-client-certificate')
    .option('--kubelet-request-timeout <duration>', 'time limit of a request to a kubelet', duration, 10_000)
    .option('--deprecated-kubelet-completely-insecure [boolean]', 'plain HTTP to kubelets, without credentials', boolean, false);
}

/** Throws an Error if a file cannot be read. */
export function metricsServerOptions(command: Command): MetricsServerOptions {
  const flags = command.opts<Flags>();
  return {
    kubeconfig: flags.kubeconfig,
    host: flags.bindAddress,
    port: flags.securePort,
    certificates: flags.certDir,
    ...(flags.tlsCertFile !== undefined && { tls: servingCertificate(flags.tlsCertFile, flags.tlsPrivateKeyFile) }),
    service: flags.register && flags.service,
    resolutionMs: flags.metricResolution,
    nodeSelector: flags.nodeSelector,
    kubelet: {
      certificateAuthority: flags.kubeletCertificateAuthority,
      clientCertificate: flags.kubeletClientCertificate,
      clientKey: flags.kubeletClientKey,
      insecureTls: flags.kubeletInsecureTls,
      completelyInsecure: flags.deprecatedKubeletCompletelyInsecure,
      port: flags.kubeletPort,
      useNodeStatusPort: flags.kubeletUseNodeStatusPort,
      addressTypes: flags.kubeletPreferredAddressTypes,
      requestTimeoutMs: flags.kubeletRequestTimeout,
    },
  };
}

function servingCertificate(certFile: string, keyFile: string | undefined) {
  if (keyFile === undefined) throw new Error('--tls-cert-file needs --tls-private-key-file');
  return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
}

function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return number;
}

function boolean(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('It must be true or false.');
  return value === 'true';
}

function duration(value: string): number {
  try {
    return goDurationMs(value);
  } catch {
    throw new InvalidArgumentError('It must be a duration such as 15s or 1m30s.');
  }
}

function resolution(value: string): number {
  const ms = duration(value);
  if (ms < minResolutionMs) throw new InvalidArgumentError('It must be at least 1s.');
  return ms;
}

function service(value: string) {
  const [namespace, name, ...more] = value.split('/');
  if (!namespace || !name || more.length > 0) throw new InvalidArgumentError('It must be NAMESPACE/NAME.');
  return { namespace, name };
}
