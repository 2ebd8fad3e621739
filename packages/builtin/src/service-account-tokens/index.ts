export { boundTokens } from './bound-tokens.ts';
export { legacyClaims } from './claims.ts';
export { lastUsedTracker } from './last-used.ts';
export { legacyTokens } from './legacy-tokens.ts';
export { type BoundKind, type FindObject, type FoundObject, objectFinder } from './token-objects.ts';
export { type TokenIssuer, tokenRequests } from './token-request.ts';
