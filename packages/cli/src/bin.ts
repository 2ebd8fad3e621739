import { main } from './main.ts';

void run();

async function run(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2));
  // Whatever still holds the process open by then holds it open for nothing.
  setTimeout(() => process.exit(), 2_000).unref();
}
