import { parseArgs } from 'node:util';
import { checkDataDir, type DataDirCheck } from '@tsukube/server';

const help = `Reads the whole database of a data dir and compares it with its checksums. No server may be using it.

Usage: tsukube check [--data-dir DIR]

      --data-dir DIR   the data dir (.tsukube)
  -h, --help

Exit code: 0 if all is whole, 1 if something is damaged or could not be read.
`;

const flags = {
  'data-dir': { type: 'string', default: '.tsukube' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const maxLines = 100;

/** Verifies a data dir and prints the result. */
export async function check(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: flags });
  if (values.help) return print(help, 0);
  const dataDir = values['data-dir'];
  const report = await checkDataDir(dataDir);
  const lines = [...findings(report)];
  if (lines.length === 0) return print(`${summary(report)}\nEverything is whole.\n`, 0);
  const shown = lines.slice(0, maxLines).map((line) => `  ${line}\n`);
  const more = lines.length > maxLines ? `  and ${lines.length - maxLines} more\n` : '';
  const remedy = `Restore a backup, or save what is whole with: tsukube repair --data-dir ${dataDir}\n`;
  return print(`${summary(report)}\nDamaged:\n${shown.join('')}${more}${remedy}`, 1);
}

function* findings({ problems, damaged, damagedHistory }: DataDirCheck): Generator<string> {
  for (const problem of problems) yield problem;
  for (const key of damaged) yield `the value of ${key}`;
  if (damagedHistory > 0) yield `${damagedHistory} changes of the past, which nothing but watches and older lists need`;
}

function summary({ objects, records, bytes, revision }: DataDirCheck): string {
  const size = `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `Read ${size}: ${objects} objects, ${records} values and changes, revision ${revision ?? 'unknown'}.`;
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
