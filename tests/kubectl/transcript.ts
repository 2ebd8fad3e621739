import { spawn } from 'node:child_process';

/** A shell command and its output. */
export interface Exchange {
  readonly command: string;
  readonly output: string;
}

/**
 * Parses a shell transcript:
 *
 *     $ kubectl get configmap colors
 *     NAME     DATA   AGE
 *     colors   2      5s
 *     $ kubectl label configmap colors season=autumn
 *     [1.20] configmap/colors labeled
 *     [1.21+] configmap/colors labeled by a newer kubectl
 *
 * A line that starts with versions in brackets (`[1.20]`, `[1.27-1.31]`, `[1.33+]`) applies only to these, both for commands and
 * output. A command with `<<'END'` continues until that word. `[exit 1]` is the exit code, if it is not 0. Lines
 * before the first command are a comment.
 */
export function parseTranscript(text: string, version: string): Exchange[] {
  const lines = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => linesFor(version, line));
  const exchanges: { command: string; output: string }[] = [];
  while (lines.length > 0) {
    const line = lines.shift() as string;
    if (line.startsWith('$ ')) exchanges.push({ command: [line.slice(2), ...hereDocument(line, lines)].join('\n'), output: '' });
    else if (exchanges.length > 0) (exchanges.at(-1) as { output: string }).output += `${line}\n`;
  }
  return exchanges;
}

function linesFor(version: string, line: string): string[] {
  const tagged = /^\[(\d+\.\d+)(?:(\+)|-(\d+\.\d+))?\](?: (.*))?$/.exec(line);
  if (!tagged) return [line];
  const [, from, open, to = open ? undefined : from, rest = ''] = tagged as unknown as [
    string,
    string,
    string?,
    string?,
    string?,
  ];
  const minor = minorOf(version);
  return minor >= minorOf(from) && (to === undefined || minor <= minorOf(to)) ? [rest] : [];
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}

function hereDocument(command: string, following: string[]): string[] {
  const end = /<<'(\w+)'/.exec(command)?.[1];
  return end === undefined ? [] : following.splice(0, following.indexOf(end) + 1);
}

/** The conversation as text, with values that change from run to run replaced: timestamps, ages, uids, resourceVersions, ports. */
export function renderTranscript(exchanges: readonly Exchange[]): string {
  return exchanges.map(({ command, output }) => `$ ${command}\n${normalized(output)}`).join('');
}

const replacements: readonly (readonly [RegExp, string | ((match: string) => string)])[] = [
  [/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, '<uid>'],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} 20\d\d \d\d:\d\d:\d\d [+-]\d{4}/g, '<time>'],
  [/\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<time>'],
  [/X509SHA256=[\da-f]{64}/g, 'X509SHA256=<hash>'],
  [/(resourceVersion"?: ?"|Resource Version: +)\d+/g, '$1<version>'],
  [/(127\.0\.0\.1:)\d+/g, '$1<port>'],
  // Other tests cover managedFields, and kubectl 1.20 prints them with every object.
  [/^( *)managedFields:\n(\1- .*\n(\1 {2}.*\n)*)+/gm, ''],
  [/^( *)"managedFields": \[\n[\s\S]*?^\1\],\n/gm, ''],
  [/^( *)Managed Fields:\n(\1 {2}.*\n)+/gm, ''],
  // Keeps the width of the column.
  [/(?<=^|\s)(\d+[smhdy])+( +|$)/gm, (match) => '<age>'.padEnd(match.trimEnd() === match ? 0 : match.length)],
  // Messages of kubectl's discovery cache, which depend on its state.
  [/^E\d{4} .* memcache\.go:.*\n/gm, ''],
  [/ +$/gm, ''],
];

function normalized(output: string): string {
  return replacements.reduce((text, [pattern, by]) => text.replace(pattern, by as string), output);
}

export interface Shell {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Runs the commands again in order and returns them with their output. Exported variables are kept between commands. */
export async function replayTranscript(expected: readonly Exchange[], shell: Shell): Promise<Exchange[]> {
  const actual: Exchange[] = [];
  for (const { command } of expected) {
    const exported = /^export (\w+)=(\S*)$/.exec(command);
    if (exported) shell.env[exported[1] as string] = exported[2];
    actual.push({ command, output: exported ? '' : await runCommand(command, shell) });
  }
  return actual;
}

const commandTimeoutMs = 30_000;

/** Returns stdout and stderr in the order they were written, and the exit code if it is not 0. */
export async function runCommand(command: string, { cwd, env }: Shell): Promise<string> {
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), commandTimeoutMs);
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
  const code = child.exitCode ?? (await new Promise<number | null>((resolve) => child.once('exit', resolve)));
  clearTimeout(timer);
  if (output !== '' && !output.endsWith('\n')) output += '\n';
  return code === 0 ? output : `${output}[exit ${code ?? child.signalCode}]\n`;
}
