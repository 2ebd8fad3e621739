import { build } from './build.mjs';
import { install } from './install.mjs';
import { pathWithEtcd } from './test-tools.mjs';

const args = process.argv.slice(2);
const startsNothingBuilt = args.some((arg) => /^--(list|no-build|help)$/.test(arg));

const interrupted = new AbortController();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => {
    interrupted.abort(new Error('interrupted'));
    process.exit(code);
  });
}

try {
  if (startsNothingBuilt) install();
  else await build();
  process.env.PATH = pathWithEtcd();
  const { main } = await import('../tests/ecosystem/main.mjs');
  process.exitCode = await main(args, interrupted.signal);
} catch (error) {
  process.stderr.write(`test:ecosystem: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
