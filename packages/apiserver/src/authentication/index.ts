export { anonymousAuthenticator } from './anonymous.ts';
export { commonAudiences, forApiAudiences } from './audiences.ts';
export * from './authenticator.ts';
export { bearerAuthenticator } from './bearer-token.ts';
export type { CertificatePool } from './certificate-chain.ts';
export { certificateAuthenticator } from './client-certificate.ts';
export { firstOf, firstTokenOf, withAuthenticatedGroup } from './union.ts';
