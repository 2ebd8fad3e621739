export { type CustomApi, type CustomApiParts, type LookedUpApi, lookUpCustomApi, openCustomApi } from './custom-api.ts';
export { customResourceDefinition } from './definition/custom-resource-definition.ts';
export { type SharedField, splitSharedFields } from './validation/shared-fields.ts';
