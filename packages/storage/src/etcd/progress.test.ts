import { expect, it } from 'vitest';
import { progressIsOrdered } from './progress.ts';

it.each([
  ['3.3.27', false],
  ['3.4.23', false],
  ['3.4.25', false],
  ['3.4.30', false],
  ['3.4.31', true],
  ['3.5.7', false],
  ['3.5.8', false],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.6.0-rc.1', true],
  ['3.6.14', true],
  ['4.0.0', true],
  ['', false],
])('trusts progress responses of %s: %s', (version, believed) => {
  expect(progressIsOrdered(version)).toBe(believed);
});
