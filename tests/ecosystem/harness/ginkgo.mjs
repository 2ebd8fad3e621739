/** @typedef {import('./suite.mjs').Result} Result */

const detailLines = 25;

/** Two lines of Ginkgo's summary: the counts, and one `[FAIL]` line for each spec that failed. */
const ginkgoCounts = /(\d+) Passed.*?(\d+) Failed.*?(\d+) Pending.*?(\d+) Skipped/;

/** @param {string} suite @param {readonly string[]} lines @returns {Generator<Result & { spec?: string }>} nothing if this is no Ginkgo suite */
export function* ginkgoResults(suite, lines) {
  const plain = lines.map(withoutColour);
  const counts = plain.map((line) => ginkgoCounts.exec(line)).find(Boolean);
  if (!counts) return;
  const [passed, failed, pending, skipped] = counts.slice(1).map(Number);
  if (passed > 0) yield { test: suite, outcome: 'passed', count: passed };
  if (pending + skipped > 0) yield { test: suite, outcome: 'skipped', count: pending + skipped };
  const named = failedSpecs(plain);
  for (const [spec, detail] of named) yield { test: `${suite}: ${spec}`, outcome: 'failed', detail, spec: fullText(spec) };
  const unnamed = Math.max(failed, plain.some((line) => line.startsWith('FAIL!')) ? 1 : 0) - named.size;
  if (unnamed > 0) yield { test: suite, outcome: 'failed', count: unnamed, detail: plain.slice(-detailLines).join('').trim() };
}

/** @param {readonly string[]} lines @returns {Map<string, string>} detail by name */
function failedSpecs(lines) {
  const from = lines.findIndex((line) => line.startsWith('Summarizing '));
  /** @type {Map<string, string>} */
  const specs = new Map();
  if (from < 0) return specs;
  for (const [index, line] of lines.entries()) {
    const found = index > from ? /^\s*\[(?:FAIL|PANICKED!?|TIMEDOUT|INTERRUPTED)\] (.*)$/.exec(line.trimEnd()) : null;
    if (found) specs.set(found[1], detailOf(lines.slice(0, from), found[1]));
  }
  return specs;
}

/** The text of a spec for `--focus`: without the type of the failed node, and without labels. @param {string} spec */
function fullText(spec) {
  return spec.replace(/\[[A-Z][A-Za-z]*(?: \([A-Za-z]+\))?\] /, '').replace(/ \[[^\]]*\]$/, '');
}

/** The report of a failed spec starts with a line that marks it as failed and one with its name. @param {readonly string[]} lines @param {string} spec */
function detailOf(lines, spec) {
  const at = lines.findIndex((line) => line.trim() === spec);
  return at < 0
    ? ''
    : lines
        .slice(at + 1, at + 1 + detailLines)
        .join('')
        .trim();
}

/** @param {string} line */
function withoutColour(line) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return line.replace(/\u001b\[[\d;]*m/g, '');
}
