import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from '@tsukube/transport';
import type { Delegate } from '../filters/filter.ts';
import { answerText } from '../http/respond.ts';

/** `/logs/`: the files of a folder, without its subfolders. */
export function logFiles(directory: string): Delegate {
  return function serveLogs({ path, method }) {
    if (path !== '/logs' && !path.startsWith('/logs/')) return undefined;
    if (method !== 'GET' && method !== 'HEAD') return answerText(405, 'Method Not Allowed\n', { allow: 'GET, HEAD' });
    if (path === '/logs') return answerText(301, '', { location: '/logs/' });
    const name = path.slice('/logs/'.length);
    return name === '' ? listing(directory) : file(directory, name);
  };
}

async function listing(directory: string): Promise<Answer> {
  const names = (await filesIn(directory)).sort();
  const links = names.map((name) => `<a href="${encodeURIComponent(name)}">${htmlText(name)}</a>\n`);
  const body = `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${links.join('')}</pre>\n`;
  return { kind: 'bytes', status: 200, type: 'text/html; charset=utf-8', body };
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const htmlCharacters: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
};

function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlCharacters[character] ?? character);
}

async function file(directory: string, name: string): Promise<Answer> {
  const path = join(directory, name);
  if (!isPlainName(name) || !(await isRegularFile(path))) return notFound();
  const headers = { 'x-content-type-options': 'nosniff' };
  return { kind: 'bytes', status: 200, type: 'text/plain; charset=utf-8', body: chunks(path), headers };
}

function isPlainName(name: string): boolean {
  return name !== '.' && name !== '..' && !/[/\\\0]/.test(name);
}

/** Symbolic links are not followed. */
async function isRegularFile(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isFile();
  } catch {
    return false;
  }
}

function notFound(): Answer {
  return answerText(404, '404 page not found\n', { 'x-content-type-options': 'nosniff' });
}

const chunkBytes = 64 * 1024;
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads the file in chunks, up to its size when it is opened for the first chunk. */
function* chunks(path: string): Generator<Uint8Array> {
  const descriptor = openSync(path, openFlags);
  try {
    const stats = fstatSync(descriptor);
    let left = stats.isFile() ? stats.size : 0;
    while (left > 0) {
      const chunk = Buffer.allocUnsafe(Math.min(left, chunkBytes));
      const read = readSync(descriptor, chunk);
      if (read === 0) return;
      left -= read;
      yield chunk.subarray(0, read);
    }
  } finally {
    closeSync(descriptor);
  }
}
