import { expect, it } from 'vitest';
import type { DefinitionNames } from '../definition/definition.ts';
import { acceptNames, takenNames } from './names.ts';

const names = (plural: string, kind: string, more: Partial<DefinitionNames> = {}): DefinitionNames => ({
  plural,
  singular: plural.slice(0, -1),
  kind,
  listKind: `${kind}List`,
  shortNames: [],
  categories: [],
  ...more,
});
const nothing = names('', '', { singular: '', listKind: '' });
const others = takenNames([names('boxes', 'Box', { singular: 'box', shortNames: ['bx', 'b'] })]);

it('accepts free names', () => {
  const requested = names('bins', 'Bin', { shortNames: ['bn'], categories: ['all'] });
  const { names: accepted, condition } = acceptNames(requested, nothing, others);
  expect(accepted).toEqual(requested);
  expect(condition).toEqual({ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' });
});

it.each<[string, DefinitionNames, Partial<DefinitionNames>, string, string]>([
  ['plural', names('boxes', 'Bin'), { plural: '' }, 'PluralConflict', '"boxes" is already in use'],
  ['singular', names('bins', 'Bin', { singular: 'box' }), { singular: '' }, 'SingularConflict', '"box" is already in use'],
  ['short', names('bins', 'Bin', { shortNames: ['bx'] }), { shortNames: [] }, 'ShortNamesConflict', '"bx" is already in use'],
  [
    'two short',
    names('bins', 'Bin', { shortNames: ['bx', 'b'] }),
    { shortNames: [] },
    'ShortNamesConflict',
    '["bx" is already in use, "b" is already in use]',
  ],
  ['kind', names('bins', 'Box', { listKind: 'BinList' }), { kind: '' }, 'KindConflict', '"Box" is already in use'],
])('keeps the old name if the %s name is taken', (_title, requested, retained, reason, message) => {
  const { names: accepted, condition } = acceptNames(requested, nothing, others);
  expect(accepted).toEqual({ ...requested, ...retained });
  expect(condition).toEqual({ type: 'NamesAccepted', status: 'False', reason, message });
});
