import type { JsonObject, KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { isOld } from './cleaner.ts';

const now = Date.parse('2026-01-10T00:00:00Z');
const ago = (hours: number) => new Date(now - hours * 3_600_000).toISOString();

function request(age: number, type?: string, decided = age, certificate?: string): KubeObject {
  const conditions = type === undefined ? [] : [{ type, status: 'True', lastUpdateTime: ago(decided) }];
  const status: JsonObject = { conditions, ...(certificate !== undefined && { certificate }) };
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { creationTimestamp: ago(age) },
    status,
  };
}

describe('old requests', () => {
  it.each<[string, KubeObject, boolean]>([
    ['pending for a day', request(23), false],
    ['pending for longer', request(25), true],
    ['denied recently', request(30, 'Denied', 0.5), false],
    ['denied', request(30, 'Denied', 2), true],
    ['failed', request(30, 'Failed', 2), true],
    ['approved and not issued', request(30, 'Approved', 23), false],
    ['approved and not issued for a day', request(30, 'Approved', 25), true],
    ['issued recently', request(30, 'Approved', 0.5, 'bm9uZQ=='), false],
    ['issued', request(30, 'Approved', 2, 'bm9uZQ=='), true],
  ])('%s', (_, object, expected) => {
    expect(isOld(object, now)).toBe(expected);
  });
});
