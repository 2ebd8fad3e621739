export { parseFieldSelector } from './field-selector.ts';
export { labelSelectorOf, parseLabelSelector } from './label-selector.ts';
export type { FieldRequirement, FieldSelector, LabelOperator, LabelRequirement, LabelSelector } from './selector.ts';
