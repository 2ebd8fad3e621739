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
}

/** Bundles a program with the sources of the SDK, runs it, and waits until it says that it serves. */
export async function startProgram(file: string, env: NodeJS.ProcessEnv): Promise<ExampleProcess> {
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
    external: ['yaml', 'ws', 're2js', 'lmdb', 'protobufjs'],
  });
  const child = spawn(process.execPath, [outfile], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    const code = await exited;
    rmSync(folder, { recursive: true, force: true });
    return code;
  };
  const stop = () => end('SIGTERM');
  for await (const line of createInterface(child.stdout))
    if (line.startsWith('serving on ')) return { stop, kill: async () => void (await end('SIGKILL')) };
  throw new Error(`${file} exited with ${await stop()}`);
}

/** The program of an example. */
export function exampleFile(name: string): string {
  return join(root, 'examples', 'webhooks', name, 'webhook.ts');
}
