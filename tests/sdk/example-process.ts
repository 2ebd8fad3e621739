import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface ExampleProcess {
  /** Sends SIGTERM and waits for the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** The lines it has printed. */
  readonly lines: readonly string[];
}

/** Bundles a program with the sources of the SDK, runs it, and waits until it logs that it serves. */
export async function startProgram(file: string, env: NodeJS.ProcessEnv, cwd?: string): Promise<ExampleProcess> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'example-'));
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    conditions: ['tsukube-source'],
    external: ['yaml', 'ws', 're2js', 'lmdb', 'protobufjs', '@grpc/grpc-js', 'mysql2', 'mysql2/promise'],
  });
  const child = spawn(process.execPath, [outfile], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(cwd !== undefined && { cwd }),
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const code = await exited;
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  const stop = () => end('SIGTERM');
  const lines: string[] = [];
  const output = createInterface(child.stdout);
  const serves = new Promise<boolean>((resolve) => {
    output.on('line', (line) => {
      lines.push(line);
      if (line.startsWith('serving on ')) resolve(true);
    });
    output.once('close', () => resolve(false));
  });
  if (await serves) return { lines, stop, kill: async () => void (await end('SIGKILL')) };
  throw new Error(`${file} exited with ${await stop()}`);
}

/** The program of an example. */
export function exampleFile(name: string): string {
  return join(root, 'examples', 'webhooks', name, 'webhook.ts');
}
