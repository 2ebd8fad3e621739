#!/usr/bin/env node
import { lineLogger, runProgram } from '@tsukube/sdk';
import { Command, InvalidArgumentError } from 'commander';
import { type NodeAgentOptions, startNodeAgent } from './node-agent.ts';

function number(value: string): number {
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < 0 || parsed > 65_535)
    throw new InvalidArgumentError('It must be a number, 0 to 65535.');
  return parsed;
}

const command = new Command('tsukube-node-agent')
  .description('Serves the figures of this host as a kubelet does, and registers a Node and mirror pods of its processes.')
  .version('0.1.0')
  .option('--kubeconfig <file>', 'the API server; by default $KUBECONFIG, the service account of the pod, or ~/.kube/config')
  .option('--node-name <name>', 'name of the Node; by default the host name')
  .option('--address <address>', 'address to serve on, and of the Node', '127.0.0.1')
  .option('--port <port>', 'port to serve on, 0 for any', number, 10250)
  .option('--cert-dir <folder>', 'folder of the own CA, whose ca.crt metrics-server must trust, and the serving certificate')
  .option('--pod-namespace <namespace>', 'namespace of the mirror pods', 'default')
  .option('--max-pods <number>', 'mirror pods at most', number, 110)
  .parse();
const { certDir, ...options } = command.opts<NodeAgentOptions & { readonly certDir?: string }>();
const logger = lineLogger();
process.exitCode = await runProgram(() => startNodeAgent({ ...options, certificates: certDir, logger }), logger);
