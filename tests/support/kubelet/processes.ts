import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex, Readable, Writable } from 'node:stream';

/** The ends of the streams of a command; absent ones were not asked for. */
export interface CommandStreams {
  readonly stdin?: Readable | undefined;
  readonly stdout?: Writable | undefined;
  readonly stderr?: Writable | undefined;
  /** Terminal sizes as JSON, one after the other. */
  readonly resize?: Readable | undefined;
}

/** Runs a command on a pseudo-terminal: bytes on 0 and 1, sizes as `rows columns` lines on 3. */
const terminal = `
import fcntl, os, pty, select, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
sources = [master, 0, 3]
held = b""
while master in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:
            data = b""
        if not data:
            sources.remove(source)
            if source == 0: os.write(master, b"\\x04")
        elif source == master:
            while data: data = data[os.write(1, data):]
        elif source == 0:
            while data: data = data[os.write(master, data):]
        else:
            held += data
            while b"\\n" in held:
                line, held = held.split(b"\\n", 1)
                rows, columns = map(int, line.split())
                fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
`;

/** Runs a command with the streams until it exits. Resolves with its exit code; killed commands have 137. */
export function runCommand(
  command: readonly string[],
  isTerminal: boolean,
  streams: CommandStreams,
  onGone: (stop: () => void) => void,
): Promise<number> {
  const [program = 'true', ...parameters] = isTerminal ? ['python3', '-c', terminal, ...command] : command;
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  onGone(() => child.kill('SIGKILL'));
  connect(child, streams);
  return new Promise((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 137));
  });
}

function connect(child: ChildProcess, { stdin, stdout, stderr, resize }: CommandStreams): void {
  const [input, output, errors, sizes] = child.stdio as unknown as [Duplex, Duplex, Duplex, Duplex];
  for (const stream of [input, output, errors, sizes]) stream.on('error', () => {});
  if (stdin) stdin.pipe(input);
  else input.end();
  if (stdout) output.pipe(stdout);
  else output.resume();
  if (stderr) errors.pipe(stderr);
  else errors.resume();
  let text = '';
  resize?.on('data', (piece: Buffer) => {
    text += piece.toString();
    for (const match of text.matchAll(/\{[^}]*\}/g)) {
      const { Width, Height } = JSON.parse(match[0]) as { Width: number; Height: number };
      sizes.write(`${Height} ${Width}\n`);
    }
    text = text.slice(text.lastIndexOf('}') + 1);
  });
}
