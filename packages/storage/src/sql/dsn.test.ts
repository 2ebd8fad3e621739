import { describe, expect, it } from 'vitest';
import { BadDsn, parseDsn, resolveAddress } from './dsn.ts';
import { endOfPrefix } from './statements.ts';

const syntax = { schemes: ['postgres'], port: 5432, parameters: ['sslmode', 'host'] };

describe('a DSN', () => {
  it.each([
    ['postgres://u:p%40ss%2Fword@h/d', { user: 'u', password: 'p@ss/word', database: 'd', hosts: [{ host: 'h', port: 5432 }] }],
    [
      'postgres://u@a:1,b:2,[::1]:3/d',
      {
        password: undefined,
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
          { host: '::1', port: 3 },
        ],
      },
    ],
    ['postgres:///d?host=/run/postgresql', { user: '', hosts: [{ host: '/run/postgresql', port: 5432 }] }],
    ['postgres://h/d?sslmode=verify-ca', { tlsMode: 'verify-ca' }],
  ])('%s', (dsn, expected) => {
    expect(parseDsn(dsn, syntax)).toMatchObject(expected);
  });

  it.each([
    '',
    'h/d',
    'mysql://h/d',
    'postgres://h',
    'postgres:///d',
    'postgres://h:0/d',
    'postgres://%zz@h/d',
    'postgres://h/d?sslmode=no',
  ])('refuses %s', (dsn) => {
    expect(() => parseDsn(dsn, syntax)).toThrow(BadDsn);
  });

  it.each([
    ['postgres://127.0.0.1/d', undefined],
    ['postgres://db.example/d', { rejectUnauthorized: true }],
    ['postgres://db.example/d?sslmode=require', { rejectUnauthorized: false }],
    ['postgres://db.example/d?sslmode=disable', undefined],
  ])('TLS of %s', async (dsn, expected) => {
    expect((await resolveAddress(dsn, syntax, {})).tls).toEqual(expected);
  });

  it('uses TLS within the machine if there is a CA', async () => {
    const { tls } = await resolveAddress('postgres://localhost/d', syntax, { tls: { ca: '-----BEGIN CERTIFICATE-----' } });
    expect(tls).toMatchObject({ rejectUnauthorized: true, ca: Buffer.from('-----BEGIN CERTIFICATE-----') });
  });
});

describe('the end of a prefix', () => {
  it.each([
    ['', undefined],
    ['/a/', '/a0'],
    ['\ud7ff', '\ue000'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', undefined],
  ])('%j', (prefix, end) => {
    expect(endOfPrefix(prefix)).toBe(end);
  });
});
