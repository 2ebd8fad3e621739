import { parseArgs } from 'node:util';
import { migrateStore } from '@tsukube/server';
import { parseServeOptions, type ServeOptions } from '@tsukube/server/config';
import { openLogs } from '@tsukube/server/logging';

const help = `Copies all objects from one store to another, and compares both at the end. No server may use either of them.

Usage: tsukube migrate --from "FLAGS" --to "FLAGS" [--resume]

      --from FLAGS   the flags of tsukube serve that name the store to copy from
      --to FLAGS     those of the store to copy to, which must be empty
      --resume       go on with a migration that was interrupted
  -h, --help

Examples:
  tsukube migrate --from "--data-dir .tsukube" --to "--etcd-servers http://127.0.0.1:2379"
  tsukube migrate --from "--etcd-servers http://127.0.0.1:2379" --to "--data-dir /var/lib/tsukube"

Objects keep their uids; resourceVersions are those of the new store, so restart clients that watch. Encrypted values are
copied as they are: use the same --encryption-provider-config on the new store.

Exit code: 0 if both stores have the same objects, 1 if not, 2 for invalid usage.
`;

const flags = {
  from: { type: 'string' },
  to: { type: 'string' },
  resume: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export async function migrate(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: joined(argv), options: flags });
  if (values.help) return print(help, 0);
  const [from, to] = [await storeOptions(values.from), await storeOptions(values.to)];
  if (!from || !to) {
    process.stderr.write('tsukube: migrate needs --from and --to, see tsukube migrate --help\n');
    return 2;
  }
  const logs = openLogs({ level: 'error', format: 'text' });
  const { resume } = values;
  try {
    const report = await migrateStore({ from, to, resume, logger: logs.logger, onProgress: progress });
    const found = report.found > 0 ? `, ${report.found} were there already` : '';
    return print(`Copied ${report.copied} objects${found}. Both stores have the same objects.\n`, 0);
  } finally {
    await logs.close();
  }
}

/** `--from "--data-dir a"` as one argument, because the value begins with a dash. */
function joined(argv: readonly string[]): string[] {
  const isFlag = (word: string | undefined) => word === '--from' || word === '--to';
  return argv.flatMap((word, i) => {
    if (isFlag(argv[i - 1])) return [];
    return isFlag(word) && argv[i + 1] !== undefined ? [`${word}=${argv[i + 1]}`] : [word];
  });
}

/** Undefined if the flags are missing or ask for help. Values cannot contain spaces. */
async function storeOptions(text: string | undefined): Promise<ServeOptions | undefined> {
  if (text === undefined) return undefined;
  const options = await parseServeOptions(
    text.split(/\s+/).filter((word) => word !== ''),
    {},
  );
  return typeof options === 'object' ? options : undefined;
}

const progressEvery = 10_000;

function progress(done: number, total: number, phase: string): void {
  if (done === total || Math.floor(done / progressEvery) > Math.floor((done - 500) / progressEvery))
    process.stdout.write(`${phase} ${done} of ${total}\n`);
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
