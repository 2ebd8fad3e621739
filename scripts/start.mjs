import { pathToFileURL } from 'node:url';
import { build, command } from './build.mjs';

try {
  await build();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

// What came before is not the server's time.
performance.mark('tsukube:start');
// In this very process, so that signals and the exit code are the server's own.
process.argv.splice(1, 1, command, 'serve');
await import(pathToFileURL(command).href);
