export { type CustomApi, type CustomApiParts, openCustomApi } from './custom-api.ts';
export type { KnownKinds } from './known-kinds.ts';
