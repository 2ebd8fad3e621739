import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { der, distinguishedName, issueCertificate } from '@tsukube/machinery/pki';
import { describe, expect, it } from 'vitest';
import { userFromCertificate } from './certificate-user.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const commonName = '2.5.4.3';
const organization = '2.5.4.10';

function certificateWith(subject: Buffer): Buffer {
  const [notBefore, notAfter] = [new Date('2026-01-01'), new Date('2027-01-01')];
  const issuer = { subject: distinguishedName({ commonName: 'ca' }), keyIdentifier: undefined, key: privateKey };
  const pem = issueCertificate({ subject, publicKey, notBefore, notAfter, use: { for: 'client' } }, issuer);
  return Buffer.from(pem.replace(/-----.*-----/g, ''), 'base64');
}

/** An attribute with a value of any ASN.1 type. */
function attribute(type: string, tag: number, value: Uint8Array): Buffer {
  return der.sequence(der.oid(type), Buffer.concat([Buffer.from([tag, value.length]), value]));
}

const utf8 = 12;
const printable = 19;
const bmp = 30;

describe('the user of a certificate', () => {
  it.each([
    'admin',
    'system:node:a,b',
    'a+b',
    'O=system:masters',
    'a, O=system:masters',
    'a\nO=system:masters',
    'a/O=system:masters',
    '"quoted"',
    'back\\slash',
    ' spaces ',
    '#hash',
    'nul\0byte',
    'Zoë 築波',
  ])('is its common name, whatever is in it: %j', (name) => {
    const groups = [name, 'second, with O=third', ''];
    const user = userFromCertificate(certificateWith(distinguishedName({ commonName: name, organizations: groups })));
    expect(user).toMatchObject({ name, groups });
  });

  it('has a group for every organization, also of multi-valued RDNs', () => {
    const subject = der.sequence(
      der.set(attribute(organization, utf8, Buffer.from('one')), attribute(organization, printable, Buffer.from('two'))),
      der.set(attribute(organization, bmp, Buffer.from('three', 'utf16le').swap16())),
      der.set(attribute(commonName, printable, Buffer.from('jane'))),
    );
    expect(userFromCertificate(certificateWith(subject))).toMatchObject({ name: 'jane', groups: ['one', 'two', 'three'] });
  });

  it('is the last of several common names, as in Go', () => {
    const subject = der.sequence(
      der.set(attribute(commonName, utf8, Buffer.from('first'))),
      der.set(attribute(commonName, utf8, Buffer.from('last'))),
    );
    expect(userFromCertificate(certificateWith(subject))).toMatchObject({ name: 'last' });
  });

  it('has the fingerprint as credential ID', () => {
    const raw = certificateWith(distinguishedName({ commonName: 'jane' }));
    const fingerprint = new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase();
    expect(userFromCertificate(raw)).toMatchObject({
      extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
    });
  });

  it.each([
    ['no common name', der.sequence()],
    ['an empty common name', distinguishedName({ commonName: '' })],
    ['bytes that are not UTF-8', der.sequence(der.set(attribute(commonName, utf8, Buffer.from([0xff, 0xfe]))))],
    ['a PrintableString that is not', der.sequence(der.set(attribute(commonName, printable, Buffer.from('a@b'))))],
    ['an unknown type of string', der.sequence(der.set(attribute(commonName, 28, Buffer.from('jane'))))],
    [
      'a group that cannot be read',
      der.sequence(
        der.set(attribute(organization, utf8, Buffer.from([0xff]))),
        der.set(attribute(commonName, utf8, Buffer.from('jane'))),
      ),
    ],
  ])('is nobody with %s', (_, subject) => expect(userFromCertificate(certificateWith(subject))).toBeUndefined());

  it('is undefined for malformed or truncated certificates', () => {
    const raw = certificateWith(distinguishedName({ commonName: 'jane' }));
    for (let length = 0; length < raw.length; length++) expect(userFromCertificate(raw.subarray(0, length))).toBeUndefined();
    expect(userFromCertificate(Buffer.from('3080', 'hex'))).toBeUndefined();
    expect(userFromCertificate(Buffer.from('30850102030405', 'hex'))).toBeUndefined();
  });
});
