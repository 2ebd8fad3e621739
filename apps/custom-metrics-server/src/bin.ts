#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { goDurationMs, lineLogger, runProgram } from '@tsukube/sdk';
import { Command, InvalidArgumentError } from 'commander';
import { type ProviderChoice, startCustomMetricsServer } from './custom-metrics-server.ts';

interface Flags {
  readonly kubeconfig?: string;
  readonly bindAddress: string;
  readonly securePort: number;
  readonly certDir?: string;
  readonly register: boolean;
  readonly service: string;
  readonly prometheusUrl?: string;
  readonly config?: string;
  readonly metricsRelistInterval: number;
  readonly writable?: true;
}

function port(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new InvalidArgumentError('It must be a port, 0 to 65535.');
  return number;
}

function duration(value: string): number {
  try {
    return goDurationMs(value);
  } catch {
    throw new InvalidArgumentError('It must be a duration such as 1m.');
  }
}

const command = new Command('tsukube-custom-metrics-server')
  .description('Serves custom.metrics.k8s.io and external.metrics.k8s.io, with values of Prometheus or of its write API.')
  .version('0.1.0')
  .option('--kubeconfig <file>', 'the API server; by default $KUBECONFIG, the service account of the pod, or ~/.kube/config')
  .option('--bind-address <address>', 'address to serve on', '0.0.0.0')
  .option('--secure-port <port>', 'port to serve on, 0 for any', port, 6444)
  .option('--cert-dir <folder>', 'folder of the own CA and serving certificate; in memory by default')
  .option('--no-register', 'do not create the Service, EndpointSlice and APIServices that lead to this process')
  .option('--service <namespace/name>', 'the Service to register', 'kube-system/custom-metrics-server')
  .option('--prometheus-url <url>', 'Prometheus to query')
  .option('--config <file>', "rules that make metrics of series, in the format of prometheus-adapter's configuration")
  .option('--metrics-relist-interval <duration>', 'how often the series of Prometheus are listed', duration, 60_000)
  .option('--writable', 'serve values that are posted to /write-metrics, for tests; without Prometheus')
  .parse();

function providerOf({ prometheusUrl, config, writable, metricsRelistInterval }: Flags): ProviderChoice {
  if (writable) return 'written';
  if (prometheusUrl === undefined || config === undefined)
    throw new Error('--prometheus-url and --config, or --writable, are required');
  return { prometheus: { url: prometheusUrl }, rules: readFileSync(config, 'utf8'), relistMs: metricsRelistInterval };
}

const logger = lineLogger();
process.exitCode = await runProgram(async () => {
  const flags = command.opts<Flags>();
  const [namespace = '', name = ''] = flags.service.split('/');
  return startCustomMetricsServer({
    provider: providerOf(flags),
    kubeconfig: flags.kubeconfig,
    host: flags.bindAddress,
    port: flags.securePort,
    certificates: flags.certDir,
    service: flags.register && { namespace, name },
    logger,
  });
}, logger);
