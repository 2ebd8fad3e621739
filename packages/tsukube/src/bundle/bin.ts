#!/usr/bin/env node
import { loadProgram } from './load-program.ts';

const { program, saveCodeCache } = loadProgram();
// A command that ends sooner has compiled too little of the program to be worth caching.
const minUptimeSeconds = 1;
process.once('exit', () => process.uptime() > minUptimeSeconds && saveCodeCache());
program.runCommand(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`tsukube: ${error}\n`);
  process.exitCode = 1;
});
