import { readEtcdSettings, startStandIn } from './etcd.ts';

/** The `etcd` program of `tsukube envtest`. Exits immediately on a signal, because it has no state. */
async function run(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
  try {
    await startStandIn(readEtcdSettings(process.argv.slice(2), process.env));
  } catch (error) {
    process.stderr.write(`etcd: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

void run();
