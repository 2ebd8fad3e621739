import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
// The build without native binaries.
import recheck from 'recheck/lib/browser.js';
import { collectRegexes } from './regex-sources.mjs';
import { root } from './root.mjs';

/**
 * Proves that every regular expression in packages/*\/src matches in linear time. One that is not linear, or cannot be proven,
 * needs a comment with the reason above its statement:
 *
 *     // regex: bounded, a hostname has at most 255 characters.
 */
const proofTimeoutMs = 60_000;

/** The problem of a regular expression; undefined if it is linear or has a reason. */
export function problemOf({ source, flags, reason, text }) {
  if (reason !== undefined) return undefined;
  if (source === undefined) return `${text}: not a constant`;
  for (const part of partsMatched(source, flags)) {
    const problem = problemOfPart(part, flags.replace('y', ''));
    if (problem !== undefined) return `${text}: ${problem}`;
  }
  return undefined;
}

/**
 * With `g` and `y` matching continues after a match, and an alternative that fails slowly fails again at the next position. An
 * alternative that succeeds hides that time, so each one is proven separately.
 */
function partsMatched(source, flags) {
  return /[gy]/.test(flags) ? [source, ...alternatives(source)] : [source];
}

/** Top-level alternatives of a pattern. */
export function alternatives(source) {
  const parts = [''];
  let depth = 0;
  for (const token of source.match(/\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]|[\s\S]/g) ?? []) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token === '|' && depth === 0) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts;
}

const proven = new Map();

function problemOfPart(source, flags) {
  if (!/[*+]|\{\d+,\}/.test(source)) return undefined;
  const key = `/${source}/${flags}`;
  if (!proven.has(key)) proven.set(key, analyse(source, flags));
  return proven.get(key);
}

function analyse(source, flags) {
  const { status, complexity, attack, error } = recheck.checkSync(source, flags, {
    checker: 'automaton',
    timeout: proofTimeoutMs,
  });
  if (status === 'safe') return undefined;
  return status === 'vulnerable'
    ? `${complexity.summary}, for example ${attack.pattern}`
    : `no proof (${error.message ?? error.kind})`;
}

function main() {
  const found = collectRegexes(root);
  const problems = found.map((regex) => [regex, problemOf(regex)]).filter(([, problem]) => problem !== undefined);
  for (const [{ file, line }, problem] of problems) process.stderr.write(`${relative(root, file)}:${line}: ${problem}\n`);
  const reasons = found.filter(({ reason }) => reason !== undefined).length;
  process.stdout.write(`${found.length} regular expressions, ${reasons} with a reason, ${problems.length} with problems\n`);
  if (problems.length > 0) process.exitCode = 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) main();
