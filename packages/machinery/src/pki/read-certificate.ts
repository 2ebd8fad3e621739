import { type DerElement, derElements, insideDer } from '../text/x509.ts';

const sequenceTag = 0x30;
const octetStringTag = 0x04;
const versionTag = 0xa0;
const extensionsTag = 0xa3;
const subjectKeyIdentifier = '551d0e';

export interface CertificateFields {
  readonly subject: DerElement;
  readonly keyIdentifier: Buffer | undefined;
}

/** Parts of a certificate that node:crypto does not expose exactly. Throws MalformedDer. */
export function readCertificate(der: Buffer): CertificateFields {
  const fields = insideDer(insideDer(derElements(der)[0], sequenceTag)[0], sequenceTag);
  // version?, serial, signature, issuer, validity, subject
  const subject = fields[fields[0]?.tag === versionTag ? 5 : 4] as DerElement;
  return { subject, keyIdentifier: keyIdentifier(fields.find(({ tag }) => tag === extensionsTag)) };
}

function keyIdentifier(extensions: DerElement | undefined): Buffer | undefined {
  if (extensions === undefined) return undefined;
  const all = insideDer(insideDer(extensions, extensionsTag)[0], sequenceTag).map((extension) =>
    insideDer(extension, sequenceTag),
  );
  const found = all.find(([id]) => id?.content.toString('hex') === subjectKeyIdentifier)?.at(-1);
  return found && insideDer(found, octetStringTag)[0]?.content;
}
