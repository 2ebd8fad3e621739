export { type BoundKind, boundTokens, type FindObject, type FoundObject, objectFinder } from './bound-tokens.ts';
export { legacyClaims } from './claims.ts';
export { lastUsedTracker, legacyTokens } from './legacy-tokens.ts';
export { type TokenIssuer, tokenRequests } from './token-request.ts';
