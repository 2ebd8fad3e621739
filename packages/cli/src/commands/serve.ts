import { type ChildProcess, fork, type StdioOptions } from 'node:child_process';
import type { Logger } from '@tsukube/apiserver';
import { kubernetesVersion, startServer } from '@tsukube/server';
import { parseServeOptions, type ServeOptions, serveHelp, UsageError } from '@tsukube/server/config';
import { type RunningMetrics, startMetrics } from '../metrics.ts';
import { untilSignalled } from '../process.ts';
import { withLogs } from '../serving.ts';

/** Serves until a signal. `adjust` may change the parsed options. */
export async function serveCommand(argv: readonly string[], adjust: Adjust = unchanged): Promise<number> {
  try {
    const options = await parseServeOptions(argv, process.env);
    if (typeof options === 'object') return await run(await adjust(options));
    process.stdout.write(options === 'help' ? serveHelp() : `Kubernetes ${kubernetesVersion}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`tsukube: ${startFailure(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

type Adjust = (options: ServeOptions) => ServeOptions | Promise<ServeOptions>;

function unchanged(options: ServeOptions): ServeOptions {
  return options;
}

async function run(options: ServeOptions): Promise<number> {
  return withLogs(options, undefined, async ({ logger, onClients, watch }) => {
    const server = await startServer({ ...options, logger, onClients, ...(options.workers > 1 && { launchWorker }) });
    watch(server);
    let metrics: Promise<RunningMetrics | undefined> | undefined;
    const close = async () => {
      await (await metrics)?.close();
      await server.close();
    };
    const ended = untilSignalled(process, close, logger);
    announce(server.url, options.kubeconfigOut);
    if (options.metrics) metrics = metricsOf(server.kubeconfig, logger);
    return ended;
  });
}

/** A process of `--workers`. The fifth file descriptor carries its writes. */
function launchWorker(): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'];
  return fork(process.argv[1] ?? '', ['worker'], { serialization: 'advanced', stdio });
}

/** The server runs without metrics if they cannot be started. */
function metricsOf(kubeconfig: string, logger: Logger): Promise<RunningMetrics | undefined> {
  return startMetrics(kubeconfig, logger).catch((error) => {
    logger.error('metrics could not start', { error: String(error) });
    return undefined;
  });
}

/** The ready line on standard output. Time is measured from the start of the process, or from the mark set by `npm start`. */
function announce(url: string, kubeconfig: string | undefined): void {
  // The reader may close the pipe after the line.
  process.stdout.on('error', () => {});
  const where = kubeconfig === undefined ? '' : `, kubeconfig ${kubeconfig}`;
  const began = performance.getEntriesByName('tsukube:start')[0]?.startTime ?? 0;
  process.stdout.write(`tsukube is ready at ${url}${where}, after ${Math.round(performance.now() - began)} ms\n`);
}

/** A one-line reason why the server did not start. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, syscall, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (syscall === 'listen' && code !== undefined) return listenFailure(code, `${address}:${port}`);
  return error.message.replaceAll('\n', ' ') || error.name;
}

function listenFailure(code: string, place: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `${place} is in use by another program, choose another port with --secure-port`;
    case 'EADDRNOTAVAIL':
      return `${place} is not an address of this machine, choose another with --bind-address`;
    case 'EACCES':
      return `no permission to listen on ${place}, choose a port above 1023 with --secure-port`;
    default:
      return `cannot listen on ${place} (${code})`;
  }
}
