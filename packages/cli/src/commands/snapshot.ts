import { parseArgs } from 'node:util';
import { type DataDirSnapshot, restoreDataDirSnapshot, saveDataDirSnapshot } from '@tsukube/server';

const help = `Saves the embedded database of a data dir to a file, or restores it.

Usage: tsukube snapshot save FILE [--data-dir DIR]
       tsukube snapshot restore FILE [--data-dir DIR] [--replace]

save copies the state of one moment, while a server runs. FILE appears when it is complete and checked.
restore verifies FILE and creates the database of a data dir that no server uses. Objects keep their uids; new versions
continue a million above those of the snapshot, so that clients which have seen later ones list again.

      --data-dir DIR   the data dir (.tsukube)
      --replace        put the database of the data dir aside, and restore in its place
  -h, --help

Exit code: 0 if it was done, 1 if not, 2 for invalid usage. The certificates and keys in the folder pki are not part of a
snapshot: back them up once.
`;

const flags = {
  'data-dir': { type: 'string', default: '.tsukube' },
  replace: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export async function snapshot(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: flags, allowPositionals: true });
  const [action, file, ...rest] = positionals;
  if (values.help) return print(help, 0);
  if ((action !== 'save' && action !== 'restore') || file === undefined || rest.length > 0) {
    process.stderr.write('tsukube: expected snapshot save FILE or snapshot restore FILE, see tsukube snapshot --help\n');
    return 2;
  }
  const dataDir = values['data-dir'];
  if (action === 'save') return print(`Saved ${summary(await saveDataDirSnapshot(dataDir, file))} to ${file}.\n`, 0);
  const { backup, ...report } = await restoreDataDirSnapshot(file, dataDir, { replace: values.replace });
  const former = backup === undefined ? '' : `The former database is ${backup}.\n`;
  return print(`Restored ${summary(report)} to ${dataDir}.\n${former}`, 0);
}

function summary({ objects, bytes, revision }: DataDirSnapshot): string {
  return `${objects} objects (${(bytes / 2 ** 20).toFixed(1)} MiB) at revision ${revision ?? 0}`;
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
