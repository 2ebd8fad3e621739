export { type Authority, issuerOf, openAuthority } from './authority.ts';
export {
  type CertificateRequest,
  type CertificateSubject,
  distinguishedName,
  type Issuer,
  isDue,
  issueCertificate,
  keyIdentifier,
  type LeafUse,
  readCertificate,
  type Use,
} from './certificate.ts';
export * as der from './der.ts';
export { memoryFiles, type PkiFiles } from './files.ts';
export {
  certificateOf,
  type KeyAlgorithm,
  type KeyPair,
  type NewKey,
  newKey,
  newRsaKey,
  publicKeyOf,
  sharedRsaKey,
} from './key-pair.ts';
export { isIssued, issueLeaf, keptLeaf, type Leaf, openLeaf } from './leaf.ts';
