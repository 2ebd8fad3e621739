import { readSettings, startStandIn } from './etcd.ts';

/** The program that `tsukube envtest` lays out as `etcd`. Ends at once when it is told to: it has nothing to save. */
async function run(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
  try {
    await startStandIn(readSettings(process.argv.slice(2), process.env));
  } catch (error) {
    process.stderr.write(`etcd: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

void run();
