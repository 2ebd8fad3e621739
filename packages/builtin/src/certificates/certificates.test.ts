import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { certificateSigningRequest } from './certificate-signing-request.ts';
import { pemBlocks } from './pem.ts';
import { requestedSubject, signingRequestProblem } from './signing-request.ts';

const ecdsa = `-----BEGIN CERTIFICATE REQUEST-----
MIHFMG4CAQAwDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
BAeXhPNbIpAkGTnN9RnL1CefQgNIexeIvckouOv13jYyLRtpsWzF++ilcmIe7NxB
bqzml+w/5OTvK4FyQCyoq7mgADAKBggqhkjOPQQDAgNHADBEAiBweQDE0sI8acHl
PtQwxfrxzO5bgRxHexkP07AJ0XA4WwIgEcKPUnCeQlzO5FYwUvFbxd1PK2ViGP21
lll2HPOIOKc=
-----END CERTIFICATE REQUEST-----
`;
const ed25519 = `-----BEGIN CERTIFICATE REQUEST-----
MIGLMD8CAQAwDDEKMAgGA1UEAwwBeDAqMAUGAytlcAMhABhISd4IO4guOU3aSQ7f
bHt4fBjynPuz+XJhUBk0rVTLoAAwBQYDK2VwA0EAub9vNeVnTMy5MugLt9NyAafT
PpHdWJfFtbqvVoNOFQzRR74QDqMnkyYXt5xHBwP3z7ErwGQ5tRegv1z0Ggm4BQ==
-----END CERTIFICATE REQUEST-----
`;

describe('signing requests', () => {
  it.each([
    ['ECDSA', ecdsa, undefined],
    ['Ed25519', ed25519, undefined],
    ['another subject', ecdsa.replace('wwBeDBZ', 'wwBeTBZ'), 'x509: ECDSA verification failure'],
    ['another signature', ed25519.replace('Ub9v', 'Ub8v').replace('ub9v', 'ub8v'), 'x509: Ed25519 verification failure'],
    ['no request', ecdsa.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'), 'PEM block type must be CERTIFICATE REQUEST'],
    ['nothing', '', 'PEM block type must be CERTIFICATE REQUEST'],
  ])('%s', (_title, pem, problem) => expect(signingRequestProblem(pem)).toBe(problem));
});

describe('subjects of signing requests', () => {
  const element = (tag: number, ...content: readonly Buffer[]) => {
    const inner = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag, inner.length]), inner]);
  };
  const attribute = (oid: string, tag: number, value: Buffer) =>
    element(0x31, element(0x30, element(0x06, Buffer.from(oid, 'hex')), element(tag, value)));
  /** A request with an invalid signature. */
  const requestFor = (...attributes: readonly Buffer[]) => {
    const information = element(0x30, element(0x02, Buffer.from([0])), element(0x30, ...attributes), element(0x30));
    const der = element(0x30, information, element(0x30), element(0x03, Buffer.from([0])));
    return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
  };
  const [name, organization] = ['550403', '55040a'];
  const masters = Buffer.from('system:masters');

  it.each([
    ['UTF8String', 12, masters],
    ['PrintableString', 19, masters],
    ['T61String', 20, masters],
    ['IA5String', 22, masters],
    ['BMPString', 30, Buffer.from('system:masters', 'utf16le').swap16()],
  ])('%s', (_title, tag, value) =>
    expect(requestedSubject(requestFor(attribute(organization, tag, value), attribute(name, 12, Buffer.from('a'))))).toEqual({
      commonName: 'a',
      organizations: ['system:masters'],
    }),
  );

  it('has the last common name and all organizations', () =>
    expect(
      requestedSubject(
        requestFor(
          ...['a', 'b'].flatMap((text) => [
            attribute(name, 12, Buffer.from(text)),
            attribute(organization, 12, Buffer.from(`of ${text}`)),
          ]),
        ),
      ),
    ).toEqual({ commonName: 'b', organizations: ['of a', 'of b'] }));

  it('reports an unreadable request', () =>
    expect(requestedSubject(requestFor(attribute(organization, 12, Buffer.from([0xff]))))).toEqual({
      problem: 'asn1: structure error: a subject that is no text',
    }));
});

describe('PEM', () => {
  it('skips text outside blocks', () => {
    expect([...pemBlocks(`text\n-----BEGIN A-----\nYQ==\n-----END B-----\n${ecdsa}`)].map(({ type }) => type)).toEqual([
      'CERTIFICATE REQUEST',
    ]);
  });

  it('is linear in the length of the text', () => {
    expect([...pemBlocks('-----BEGIN A-----\n'.repeat(150_000))]).toEqual([]);
    expect([...pemBlocks(`${'-----BEGIN A-----\n'.repeat(150_000)}-----END B-----\n`)]).toEqual([]);
  }, 5_000);
});

describe('validation of updates', () => {
  const spec = { signerName: 'a.b/c', usages: ['any'], request: Buffer.from(ecdsa).toString('base64') };
  const approved = { type: 'Approved', status: 'True', reason: 'r', lastUpdateTime: 't', lastTransitionTime: 't' };
  const update = (subresource: string, before: JsonObject, status: JsonObject) => {
    const strategy = certificateSigningRequest.subresources?.[subresource]?.strategy;
    const [object, old]: JsonObject[] = [
      { metadata: {}, spec, status },
      { metadata: {}, spec, status: before },
    ];
    const errors = new FieldErrors();
    strategy?.prepareForUpdate?.(object as KubeObject, old as KubeObject, certificateSigningRequest.hub);
    strategy?.validateUpdate?.(object as KubeObject, old as KubeObject, errors, certificateSigningRequest.hub);
    return { status: object?.status, problems: errors.list.map(({ body }) => body) };
  };

  it('/status cannot approve or deny', () => {
    expect(update('status', {}, { conditions: [approved] }).problems).toEqual([
      'Forbidden: updates may not add a condition of type "Approved"',
    ]);
  });

  it('/approval cannot set the certificate', () => {
    const { status, problems } = update('approval', {}, { conditions: [approved], certificate: 'YQ==' });
    expect({ status, problems }).toEqual({ status: { conditions: [approved] }, problems: [] });
  });

  it('conditions cannot be removed', () => {
    expect(update('approval', { conditions: [approved] }, {}).problems).toEqual([
      'Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    expect(update('status', { conditions: [approved] }, { conditions: [{ ...approved, reason: 'x' }] }).status).toEqual({
      conditions: [approved],
    });
  });
});
