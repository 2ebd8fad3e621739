import { pathToFileURL } from 'node:url';
import { build, command } from './build.mjs';

try {
  await build();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

// Excludes the build from the server's start time.
performance.mark('tsukube:start');
// In this process, so that signals and the exit code are those of the server.
process.argv.splice(1, 1, command, 'serve');
await import(pathToFileURL(command).href);
