import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runCommand, type Shell } from './transcript.ts';
import type { Kubectl } from './versions.ts';

/** Where people work with one version of kubectl. What kubectl remembers of the server is shared, all else is not. */
export interface Workplace {
  /** An empty folder and a kubeconfig of its own, with this namespace as the one that is meant where none is named. */
  shell(namespace: string): Shell;
  terminal(namespace: string): Terminal;
}

export interface Terminal {
  /** Gives what the command printed, on whichever output. */
  run(command: string): Promise<string>;
  /** Starts a command that goes on for a while. */
  open(command: string): Screen;
}

/** For all tests of a suite. */
export function useWorkplace(kubectl: Kubectl, kubeconfig: () => string): Workplace {
  let root: string;
  let bin: string;
  let count = 0;
  const screens = new Set<Screen>();
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'tsukube-kubectl-'));
    bin = linkKubectl(kubectl, root);
  });
  afterAll(() => {
    for (const screen of screens) screen.close();
    rmSync(root, { recursive: true, force: true });
  });
  const shell = (namespace: string): Shell => {
    const cwd = join(root, String(count++));
    mkdirSync(cwd);
    const config = `${cwd}.kubeconfig`;
    writeFileSync(config, kubeconfig().replace('context:\n', `context:\n    namespace: ${namespace}\n`), { mode: 0o600 });
    const PATH = [bin, process.env.PATH].join(delimiter);
    return { cwd, env: { PATH, HOME: root, TMPDIR: root, KUBECONFIG: config } };
  };
  const terminal = (namespace: string): Terminal => {
    const place = shell(namespace);
    const open = (command: string): Screen => {
      const screen = new Screen(command, place);
      screens.add(screen);
      return screen;
    };
    return { run: (command) => runCommand(command, place), open };
  };
  return { shell, terminal };
}

/** Makes a folder in which `kubectl` is this one. */
export function linkKubectl(kubectl: Kubectl, parent: string): string {
  const bin = join(parent, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  return bin;
}

const patienceMs = 20_000;

/** What a command that goes on has printed so far. */
export class Screen {
  readonly exitCode: Promise<number | null>;
  readonly #child: ChildProcess;
  #output = '';
  #log = '';
  #wake: () => void = () => {};

  constructor(command: string, { cwd, env }: Shell) {
    // So much is logged that requests are seen; exec leaves no shell between us and kubectl.
    this.#child = spawn('sh', ['-c', `exec ${command} -v=6`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#output += text)));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#log += text)));
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Until what was printed to standard output is this. */
  shows(pattern: RegExp): Promise<void> {
    return this.#until(() => pattern.test(this.#output), String(pattern));
  }

  /** Until it watches: whatever happens from now on, it sees. */
  watches(): Promise<void> {
    return this.#until(() => this.#log.includes('watch=true'), 'a watch');
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #take(add: () => void): void {
    add();
    this.#wake();
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!holds()) {
      if (Date.now() > deadline) throw new Error(`no ${what} in:\n${this.#output}\n${this.#log}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
