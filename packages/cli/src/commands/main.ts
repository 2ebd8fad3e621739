import { packageVersion } from '../process.ts';
import { check } from './check.ts';
import { envtest } from './envtest.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { migrate } from './migrate.ts';
import { repair } from './repair.ts';
import { serveCommand } from './serve.ts';
import { snapshot } from './snapshot.ts';
import { worker } from './worker.ts';

interface Command {
  readonly summary: string;
  /** Not listed in the help. */
  readonly isInternal?: true;
  run(argv: readonly string[]): number | Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  serve: {
    summary: 'Serve the Kubernetes API.',
    run: (argv) => serveCommand(argv),
  },
  check: {
    summary: 'Verify the database of a data dir.',
    run: (argv) => explained(check, argv),
  },
  repair: {
    summary: 'Recover the intact objects of a damaged database.',
    run: (argv) => explained(repair, argv),
  },
  'explain-path': {
    summary: 'Show which part of a server answers a request.',
    run: (argv) => explained(async (rest) => (await import('./explain-path.ts')).explainPath(rest), argv),
  },
  snapshot: {
    summary: 'Save the embedded database of a running server to a file, or restore it.',
    run: (argv) => explained(snapshot, argv),
  },
  migrate: {
    summary: 'Copy all objects from one store to another.',
    run: (argv) => explained(migrate, argv),
  },
  envtest: {
    summary: 'Create the kube-apiserver and etcd programs that envtest runs (KUBEBUILDER_ASSETS).',
    run: envtest,
  },
  'kube-apiserver': {
    summary: 'Serve as a bare kube-apiserver: its flags, no controllers.',
    run: kubeApiserver,
  },
  worker: {
    summary: 'A process of serve --workers, which starts it.',
    isInternal: true,
    run: (argv) => explained(worker, argv),
  },
  version: {
    summary: 'Print the version.',
    run: printVersion,
  },
};

/** Prints errors in one line, with exit code 2 for invalid usage. */
async function explained(command: Command['run'], argv: readonly string[]): Promise<number> {
  try {
    return await command(argv);
  } catch (error) {
    process.stderr.write(`tsukube: ${error instanceof Error ? error.message : String(error)}\n`);
    const { code, name } = error as NodeJS.ErrnoException;
    return name === 'UsageError' || String(code).startsWith('ERR_PARSE_ARGS') ? 2 : 1;
  }
}

function printVersion(): number {
  process.stdout.write(`tsukube ${packageVersion()} (node ${process.versions.node}, ${process.platform}/${process.arch})\n`);
  return 0;
}

const aliases: Readonly<Record<string, string>> = { '--version': 'version' };

/** Runs a command and returns its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const [word = '--help', ...rest] = argv;
  if (word === 'help' && rest[0] !== undefined) return main([rest[0], '--help']);
  if (['help', '--help', '-h'].includes(word)) return help();
  const name = aliases[word] ?? word;
  if (Object.hasOwn(commands, name)) return (commands[name] as Command).run(rest);
  process.stderr.write(`tsukube: unknown command ${JSON.stringify(word)}, see tsukube --help\n`);
  return 2;
}

function help(): number {
  const rows = Object.entries(commands)
    .filter(([, { isInternal }]) => !isInternal)
    .map(([name, { summary }]) => `  ${name.padEnd(16)}${summary}\n`);
  process.stdout.write(`The Kubernetes API server, written anew in TypeScript.

Usage: tsukube COMMAND [flags]

Commands:
${rows.join('')}
tsukube COMMAND --help shows the flags of a command.
`);
  return 0;
}
