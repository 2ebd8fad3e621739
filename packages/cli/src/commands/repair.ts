import { parseArgs } from 'node:util';
import { checkDataDir, type DataDirRepair, repairDataDir } from '@tsukube/server';

const help = `Saves what is whole in a damaged database to a new one, and lists what is lost. The new database takes the place of the
damaged one, which is kept beside it as it was. Objects keep their uids and versions; new versions continue far above the
old ones, and the history is empty, so that clients list again. No server may be using the data dir.

Usage: tsukube repair [--data-dir DIR] [--output DIR]

      --data-dir DIR   the data dir (.tsukube)
      --output DIR     leave the data dir as it is, and make a new one, without certificates
  -h, --help

Exit code: 0 if there is a sound database now, 1 if not.
`;

const flags = {
  'data-dir': { type: 'string', default: '.tsukube' },
  output: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Replaces a damaged database by its intact objects. */
export async function repair(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...argv], options: flags });
  process.stdout.write(values.help ? help : await run(values['data-dir'], values.output));
  return 0;
}

async function run(dataDir: string, output: string | undefined): Promise<string> {
  const { problems, damaged, damagedHistory } = await checkDataDir(dataDir);
  if (output === undefined && problems.length + damaged.length + damagedHistory === 0)
    return 'Everything is whole: there is nothing to repair.\n';
  return description(await repairDataDir(dataDir, output));
}

function description({ database, backup, saved, lost, uncertain, unknown, revision }: DataDirRepair): string {
  const parts = [
    `Saved ${saved} objects to ${database}, which begins with revision ${revision}.`,
    `The damaged database is ${backup}.`,
    ...listed('Lost:', lost),
    ...(unknown > 0 ? [`Lost: ${unknown} objects whose names are not known.`] : []),
    ...listed('Saved, but not known to be the newest state, nor not to have been deleted:', uncertain),
  ];
  return `${parts.join('\n')}\n`;
}

function listed(title: string, keys: readonly string[]): string[] {
  return keys.length === 0 ? [] : [title, ...keys.map((key) => `  ${key}`)];
}
