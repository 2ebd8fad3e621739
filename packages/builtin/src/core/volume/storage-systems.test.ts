import { FieldErrors, path } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../../../../tests/support/random.ts';
import { validateIscsi } from './storage-systems.ts';

const kubernetesPattern = /iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/;

function isValid(iqn: string): boolean {
  const errors = new FieldErrors();
  validateIscsi({ targetPortal: '10.0.0.1:3260', lun: 0, iqn }, path('iscsi'), errors);
  return errors.length === 0;
}

describe('iSCSI qualified names', () => {
  it.each([
    ['iqn.2001-04.com.example:storage.disk1', true],
    ['iqn.2001-04.com.example:a:b', true],
    ['iqn.2001-04.com.example', false],
    ['iqn.2001-04.com.example:', false],
    ['iqn.2001-04.:x', false],
    ['iqn.2001-04.com.example:a b', false],
  ])('%s: %s', (name, valid) => expect(isValid(name)).toBe(valid));

  it('are accepted exactly if the pattern of Kubernetes matches', () => {
    const random = seeded(3);
    const pieces = ['iqn.', '2001-04', '.', 'com', ':', ' ', ',', '-', 'é', 'iqn.2001-04.a', '::'];
    for (let i = 0; i < 20_000; i++) {
      const name = `iqn${Array.from({ length: 1 + random(8) }, () => pieces[random(pieces.length)]).join('')}`;
      expect([name, isValid(name)]).toEqual([name, kubernetesPattern.test(name)]);
    }
  });

  it.each(['iqn.0000-00.q', 'iqn.0000-00.q:', 'iqn.', 'iqn.0000-00.é:'])(
    'made of many %s are checked in linear time',
    (piece) => {
      const began = performance.now();
      isValid(piece.repeat(20_000));
      expect(performance.now() - began).toBeLessThan(500);
    },
  );
});
