export { type CertificateUser, commonNameOf, userFromCertificate } from './certificate-user.ts';
export { directoryFiles } from './directory-files.ts';
export { keepRenewed, openPki, type Pki, type Renewal, servingHosts } from './pki.ts';
