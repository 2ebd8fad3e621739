export { mutatingPolicyPlugin } from './mutating-policy.ts';
export type { RegistryOfKind } from './params.ts';
export { checkPolicyTypes, type ExpressionWarning } from './type-check.ts';
export { type PolicyPluginParts, validatingPolicyPlugin } from './validating-policy.ts';
