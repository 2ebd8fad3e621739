import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runCommand, type Shell } from './transcript.ts';
import type { Kubectl } from './versions.ts';

/** Shells for one version of kubectl. They share kubectl's discovery cache and nothing else. */
export interface Workplace {
  /** A shell in an empty folder, with its own kubeconfig and this default namespace. */
  shell(namespace: string): Shell;
  terminal(namespace: string): Terminal;
}

export interface Terminal {
  /** Runs a command and returns its output (stdout and stderr). */
  run(command: string): Promise<string>;
  /** Starts a command that keeps running, such as a watch. */
  open(command: string): Screen;
}

/** Creates the shells for all tests of a suite. */
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

/** Creates a folder with a link `kubectl` to this version. */
export function linkKubectl(kubectl: Kubectl, parent: string): string {
  const bin = join(parent, 'bin');
  mkdirSync(bin);
  symlinkSync(kubectl.path, join(bin, 'kubectl'));
  return bin;
}

const patienceMs = 20_000;

/** The output so far of a running command. */
export class Screen {
  readonly exitCode: Promise<number | null>;
  readonly #child: ChildProcess;
  #output = '';
  #log = '';
  #wake: () => void = () => {};

  constructor(command: string, { cwd, env }: Shell) {
    // -v=6 logs requests; exec replaces the shell, so that signals reach kubectl.
    this.#child = spawn('sh', ['-c', `exec ${command} -v=6`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#output += text)));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#take(() => (this.#log += text)));
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Waits until standard output matches. */
  shows(pattern: RegExp): Promise<void> {
    return this.#until(() => pattern.test(this.#output), String(pattern));
  }

  /** Waits until the watch is established. */
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
