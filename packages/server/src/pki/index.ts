export { type CertificateUser, commonNameOf, userFromCertificate } from './certificate-user.ts';
export { directoryFiles, memoryFiles, type PkiFiles } from './files.ts';
export { type KeyPair, sharedRsaKey } from './key-pair.ts';
export { openPki, type Pki } from './pki.ts';
export { keepRenewed, type Renewal } from './renewal.ts';
export { servingHosts } from './serving-hosts.ts';
