import { formatDuration } from './flags/duration.ts';
import { type Flag, type FlagGroup, flagGroups, flagName } from './flags/flag.ts';
import { flags } from './flags/flags.ts';

const column = 42;
const width = 118;

/** The help text of `tsukube serve`. */
export function serveHelp(): string {
  return [
    'Usage: tsukube serve [flags]',
    '',
    'Serves the Kubernetes API. Certificates, database and an administrator kubeconfig are generated on first start.',
    ...flagGroups.flatMap((group) => ['', `${group}:`, ...rowsOf(group)]),
    '',
    'General:',
    ...row('--config FILE', 'YAML file with the flags of this list, without the dashes, and their values.'),
    ...row('-h, --help', 'Show this text.'),
    ...row('--version', 'Show the version of Kubernetes whose API is served.'),
    '',
    'Each flag is also a variable of the environment: --secure-port is TSUKUBE_SECURE_PORT.',
    'A flag wins over the environment, the environment over --config.',
    '',
  ].join('\n');
}

function rowsOf(group: FlagGroup): string[] {
  return (Object.entries(flags) as [string, Flag<unknown>][])
    .filter(([, flag]) => flag.group === group)
    .flatMap(([option, flag]) => row(heading(option, flag), flag.help + defaultOf(flag)));
}

function heading(option: string, flag: Flag<unknown>): string {
  const short = flag.short === undefined ? '' : `-${flag.short}, `;
  return `${short}--${flagName(option)}${flag.isSwitch ? '' : ` ${flag.placeholder}`}`;
}

function defaultOf(flag: Flag<unknown>): string {
  const shown = flag.fallbackText ?? fallbackText(flag);
  return shown === undefined ? '' : ` (default ${shown})`;
}

function fallbackText({ fallback, placeholder }: Flag<unknown>): string | undefined {
  if (fallback === undefined || typeof fallback === 'object') return undefined;
  return placeholder === 'DURATION' ? formatDuration(fallback as number) : String(fallback);
}

function row(head: string, text: string): string[] {
  const [first = '', ...rest] = wrapped(text, width - column);
  const indent = ' '.repeat(column);
  const start = `  ${head}`;
  const opening = start.length < column - 1 ? [start.padEnd(column) + first] : [start, indent + first];
  return [...opening, ...rest.map((line) => indent + line)];
}

function wrapped(text: string, limit: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < limit) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
