import { goQuote } from '../text/go-quote.ts';
import { GoRegExpError, goRegExp } from '../text/go-regexp.ts';
import { characterCount } from './character-count.ts';
import type { Findings } from './finding.ts';
import { stringFormat } from './formats.ts';
import type { ValueRules } from './schema-node.ts';

/** Of length and pattern the first that is wrong is told; the format is a matter of its own. */
export function explainText(text: string, values: ValueRules | undefined, format: string, name: string, found: Findings): void {
  if (values !== undefined) explainLengthAndPattern(text, values, name, found);
  found.matches++;
  const hasFormat = format === '' ? undefined : stringFormat(format);
  if (hasFormat === undefined) return;
  if (!hasFormat(text))
    found.add({ message: `${name} in body must be of type ${format}: ${goQuote(text)}`, name, value: text, is: 'type' });
  found.matches++;
}

function explainLengthAndPattern(text: string, values: ValueRules, name: string, found: Findings): void {
  const { maxLength, minLength, pattern } = values;
  const length = maxLength === undefined && minLength === undefined ? 0 : characterCount(text);
  if (maxLength !== undefined && length > maxLength) {
    const message = `${name} in body should be at most ${maxLength} chars long`;
    found.add({ message, name, value: text, is: { longerThan: maxLength } });
  } else if (minLength !== undefined && length < minLength) {
    found.add({ message: `${name} in body should be at least ${minLength} chars long`, name, value: text });
  } else if (pattern !== '') explainPattern(text, pattern, name, found);
}

function explainPattern(text: string, pattern: string, name: string, found: Findings): void {
  try {
    if (goRegExp(pattern).matches(text)) return;
    found.add({ message: `${name} in body should match '${pattern}'`, name, value: text });
  } catch (error) {
    if (!(error instanceof GoRegExpError)) throw error;
    const message = `${name} in body should match '${pattern}, but pattern is invalid: ${error.message}'`;
    found.add({ message, name, value: text });
  }
}
