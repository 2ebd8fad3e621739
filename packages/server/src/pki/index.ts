export { type CertificateUser, commonNameOf, userFromCertificate } from './certificate-user.ts';
export { directoryFiles, memoryFiles, type PkiFiles } from './files.ts';
export { type KeyPair, sharedRsaKey } from './key-pair.ts';
export { keepRenewed, openPki, type Pki, type Renewal, servingHosts } from './pki.ts';
