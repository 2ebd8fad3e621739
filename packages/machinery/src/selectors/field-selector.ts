import { StatusError } from '../errors/status-error.ts';
import { type FieldRequirement, type FieldSelector, maxTerms, tooManyTerms } from './selector.ts';

/** Up to this many requirements are checked sequentially; more are indexed. */
const fewRequirements = 4;

/** Matches every object. */
export const everyField: FieldSelector = fieldSelector([]);

/** Parses the fieldSelector of a query. Throws StatusError (400). The caller checks whether the fields are supported. */
export function parseFieldSelector(text: string): FieldSelector {
  if (text === '') return everyField;
  const terms = splitTerms(text)
    .filter((term) => term !== '')
    .sort();
  if (terms.length > maxTerms) throw StatusError.badRequest(tooManyTerms().message);
  const requirements = terms.map((term) => parseTerm(term, text));
  return fieldSelector(requirements.filter(({ field, value }) => field !== '' || value !== ''));
}

export function fieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    requirements,
    everything: requirements.length === 0,
    matches: requirements.length > fewRequirements ? indexedMatcher(requirements) : plainMatcher(requirements),
    requiresExactMatch: (field) => requirements.find((one) => one.field === field && one.operator === '=')?.value,
    toString: () => requirements.map(({ field, operator, value }) => field + operator + escapeFieldValue(value)).join(','),
  };
}

function plainMatcher(requirements: readonly FieldRequirement[]): FieldSelector['matches'] {
  return (fieldValue) => {
    for (const { field, operator, value } of requirements) {
      if ((fieldValue(field) === value) !== (operator === '=')) return false;
    }
    return true;
  };
}

/** Linear in the number of distinct fields. */
function indexedMatcher(requirements: readonly FieldRequirement[]): FieldSelector['matches'] {
  const fields = new Map(requirements.map(({ field }) => [field, { equal: new Set<string>(), unequal: new Set<string>() }]));
  for (const { field, operator, value } of requirements) fields.get(field)?.[operator === '=' ? 'equal' : 'unequal'].add(value);
  return (fieldValue) => {
    for (const [field, { equal, unequal }] of fields) {
      const value = fieldValue(field);
      if (equal.size > 1 || (equal.size === 1 && !equal.has(value)) || unequal.has(value)) return false;
    }
    return true;
  };
}

/** Escapes a value for use in a selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}

/** Splits at unescaped commas. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==?/.exec(term);
  if (match === null) throw StatusError.badRequest(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [operator] = match;
  const value = unescapeValue(term.slice(match.index + operator.length));
  return { field: term.slice(0, match.index), operator: operator === '!=' ? '!=' : '=', value };
}

function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  let value = '';
  const characters = [...text];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (character === '=' || character === ',') throw unescapedCharacter(character);
    value += character === '\\' ? literal(characters[++at]) : character;
  }
  return value;
}

/** The character after a backslash. */
function literal(character: string | undefined): string {
  if (character === '\\' || character === ',' || character === '=') return character;
  throw StatusError.badRequest(`invalid field selector: invalid escape sequence: \\${character ?? ''}`);
}

/** Kubernetes prints the code of the character. */
function unescapedCharacter(character: string): StatusError {
  return StatusError.badRequest(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
}
