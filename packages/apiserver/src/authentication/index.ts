export * from './authenticator.ts';
export { bearerAuthenticator, commonAudiences, withApiAudiences } from './bearer-token.ts';
export { type CertificateUser, commonNameOf, userFromCertificate } from './certificate-user.ts';
export { type CertificatePool, certificateAuthenticator, parseCertificatePool } from './client-certificate.ts';
export {
  audiencesOf,
  type CompactToken,
  hasReadableClaims,
  leewayMs,
  parseCompact,
  type TimeProblem,
  timeProblem,
} from './jwt.ts';
export {
  checkSignature,
  jwkOf,
  type Signer,
  signatureProblem,
  signerOf,
  signingAlgorithms,
  type VerificationKey,
  verificationKeys,
} from './jwt-keys.ts';
export { isProxyHeader, type ProxyHeaders, requestHeaderAuthenticator } from './request-header.ts';
export { cachedTokenAuthenticator } from './token-cache.ts';
export { webhookTokenAuthenticator } from './token-webhook.ts';
export { unionAuthenticator, unionTokenAuthenticator, withAuthenticatedGroup } from './union.ts';
export { isTokenProtocol, webSocketAuthenticator } from './websocket-token.ts';
