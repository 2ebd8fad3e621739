// Builds and runs a program of apps/: node scripts/run-app.mjs NAME [flags]
// Without --kubeconfig and KUBECONFIG, the API server is the one that `npm start` runs in this folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.mjs';
import { root } from './root.mjs';

const [name, ...args] = process.argv.slice(2);
const local = join(root, '.tsukube', 'admin.kubeconfig');
if (!process.env.KUBECONFIG && existsSync(local)) process.env.KUBECONFIG = local;
await build();
const modulesOf = (app) => join(root, 'apps', app, 'dist');
if (name === 'metrics-server') await metricsServer();
else await program();

async function program() {
  process.argv.splice(1, process.argv.length - 1, join(modulesOf(name), 'bin.js'), ...args);
  await import(pathToFileURL(process.argv[1]).href);
}

/** With a node agent for this host, unless --no-node-agent. */
async function metricsServer() {
  const { metricsServerCommand, metricsServerOptions } = await import(pathToFileURL(join(modulesOf(name), 'flags.js')).href);
  const { startMetricsServer, startNodeAgent, lineLogger, runProgram } = await libraries();
  const command = metricsServerCommand()
    .option('--no-node-agent', 'do not register this host as a Node and its processes as Pods')
    .parse(args, { from: 'user' });
  const logger = lineLogger();
  process.exitCode = await runProgram(async () => {
    const options = metricsServerOptions(command);
    const { kubeconfig } = options;
    const agent = command.opts().nodeAgent ? await startNodeAgent({ kubeconfig, port: 0, logger }) : undefined;
    const server = await startMetricsServer({ ...options, kubelet: { ...options.kubelet, ca: agent?.ca }, logger });
    return {
      async close() {
        await server.close();
        await agent?.close();
      },
    };
  }, logger);
}

async function libraries() {
  return {
    ...(await import('@tsukube/metrics-server')),
    ...(await import('@tsukube/node-agent')),
    ...(await import('@tsukube/sdk')),
  };
}
