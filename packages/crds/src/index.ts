export { type CustomApi, type CustomApiParts, type LookedUpApi, lookUpCustomApi, openCustomApi } from './custom-api.ts';
export type { KnownKinds } from './known-kinds.ts';
