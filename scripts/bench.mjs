import { build } from './build.mjs';
import { install } from './install.mjs';

const args = process.argv.slice(2);
const startsNothingBuilt = args.some((arg) => /^--(kubeconfig|no-build|help)(=|$)/.test(arg));

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

try {
  // Builds first, so that the current source is measured.
  if (startsNothingBuilt) install();
  else await build();
  const { main } = await import('../bench/main.mjs');
  process.exitCode = await main(args);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
